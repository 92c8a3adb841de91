import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertiesJson, WrittenProperties } from '#core/ingest/properties'
import { writeEvent } from '#core/ingest/write-event'
import { propertySettings } from '#test/support/depth'

const unit = fc.constantFrom('\ud800', '\udc00', '\\', 'u', 'd', '"', 'a', '\u0000', 'é', '😀')
const text = fc.oneof(
  fc.string({ unit, maxLength: 12 }),
  fc.constantFrom('email', 'My_Email', '\\ud800', '","properties":{'),
)
const properties = fc.option(
  fc.dictionary(text, fc.oneof(text, fc.double(), fc.constant('x'.repeat(1_400))), { maxKeys: 5 }),
  { nil: null },
)

test('an event has well-formed texts, and its properties follow their own rules', () => {
  fc.assert(
    fc.property(text, properties, fc.option(text, { nil: null }), (name, sent, id) => {
      const event = { event: name, user_id: id, session_id: id, timestamp: 5, event_id: null }
      const wellFormed = id?.toWellFormed() ?? null
      const expected = {
        event: name.toWellFormed(),
        properties: JSON.parse(String(propertiesJson(structuredClone(sent), ''))),
        ...{ user_id: wellFormed, session_id: wellFormed, timestamp: 5, event_id: null },
      }
      expect(writeEvent({ ...event, properties: sent }, '')).toBe(JSON.stringify(expected))
    }),
    propertySettings(200),
  )
})

test('wide properties stay bytes; the fields before them are one text, and those after them another one', () => {
  const utf8 = Buffer.from(JSON.stringify({ a: 'x'.repeat(3_000) }))
  const event = { event: 'a\ud800', user_id: 'é', session_id: null, timestamp: 5, event_id: 'i' }
  expect(writeEvent({ ...event, properties: new WrittenProperties(utf8) }, '')).toEqual([
    '{"event":"a\ufffd","properties":',
    utf8,
    ',"user_id":"é","session_id":null,"timestamp":5,"event_id":"i"}',
  ])
})
