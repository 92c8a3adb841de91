import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseWideBody } from '#core/ingest/wide-body'
import { propertySettings } from '#test/support/depth'
import { good, trackFunction } from './track-function.ts'

/** So many properties that the body is read as text. */
const wide = (keys = 300) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`key_${i}`, i]))
/** The same event, with the text of its properties. */
const withProperties = (json: string) => `{"token":"aat_shop","event":"signup","properties":${json}}`
const WIDE_JSON = JSON.stringify(wide())

test('wide properties of an event and of a batch are read as text, and stored as they were sent', async () => {
  const { send, events } = trackFunction()
  const single = withProperties(WIDE_JSON)
  const batch = `{"events":[${single},{"token":"aat_shop","event":"b","properties":{"a":1}},${single},{"token":"aat_shop","event":"d"}]}`
  for (const body of [single, batch]) expect(parseWideBody(Buffer.from(body))).not.toBeNull()
  expect(await send('/track', single)).toMatchObject({ status: 202 })
  expect(await send('/track/batch', batch)).toMatchObject({ status: 202, body: { count: 4 } })
  expect(events().map(({ properties }) => properties)).toEqual([wide(), wide(), { a: 1 }, wide(), null])
  expect(events().map(({ event }) => event)).toEqual(['signup', 'signup', 'b', 'signup', 'd'])
})

const forms: [form: string, json: string][] = [
  ['with blanks', JSON.stringify(wide(), null, 2)],
  ['with a repeated key', WIDE_JSON.replace('}', ',"key_0":"last"}')],
  ['with keys that contain email', WIDE_JSON.replace('}', ',"my_EMAIL":1,"a":{"email":2,"b":3}}')],
  ['with numbers of every form', WIDE_JSON.replace('}', ',"a":1.50,"b":-0,"c":1e999,"d":1E2,"7":0.1}')],
  ['with escapes and lone surrogates', WIDE_JSON.replace('}', ',"\\u0061":"\\ud800\\/\\n","é":"😀"}')],
  ['with properties inside', WIDE_JSON.replace('{', `{"properties":${WIDE_JSON},`)],
  [
    'with text that looks like the name',
    WIDE_JSON.replace('}', ',"a\\"properties":{"b":"\\"properties\\":{"}}'),
  ],
  [
    'of a depth that is left to JSON.parse',
    WIDE_JSON.replace('}', `,"a":${'['.repeat(70)}${']'.repeat(70)}}`),
  ],
]

test.each(forms)('wide properties %s are stored like those of a small body', async (_, json) => {
  const { send, events } = trackFunction()
  expect(await send('/track', withProperties(json))).toMatchObject({ status: 202 })
  // Sent with the name of the field escaped, the body is parsed as a whole.
  expect(
    await send('/track', withProperties(json).replace('"properties"', '"\\u0070roperties"')),
  ).toMatchObject({
    status: 202,
  })
  const [asText, parsed] = events()
  expect(JSON.stringify(asText?.properties)).toBe(JSON.stringify(parsed?.properties))
  expect(parsed?.properties).toMatchObject({ key_1: 1 })
})

const tail = ',"event":"signup","token":"aat_shop"}'
const refusals: [what: string, body: string | Uint8Array, code: string][] = [
  ['over 8,192 bytes', withProperties(JSON.stringify(wide(900))), 'INVALID_PROPERTIES'],
  [
    'of a name that is not valid',
    `{"properties":${WIDE_JSON}${tail}`.replace('"signup"', '5'),
    'INVALID_EVENT',
  ],
  ['before JSON that is not valid', `{"properties":${WIDE_JSON},,${tail}`, 'INVALID_BODY'],
  ['that are not valid JSON', `{"properties":${WIDE_JSON.replace(':5,', ':05,')}${tail}`, 'INVALID_BODY'],
  ['that do not end', `{"properties":${WIDE_JSON.slice(0, -1)}`, 'INVALID_BODY'],
  ['that are a long text', withProperties(JSON.stringify('x'.repeat(3_000))), 'INVALID_PROPERTIES'],
  ['that are a long list', withProperties(JSON.stringify(Array(3_000).fill(1))), 'INVALID_PROPERTIES'],
  [
    'that are not UTF-8',
    Buffer.concat([
      Buffer.from('{"properties":{"a":"'),
      Buffer.of(0xff),
      Buffer.from(`",${WIDE_JSON.slice(1)}${tail}`),
    ]),
    'INVALID_BODY',
  ],
]

test.each(refusals)('wide properties %s are refused', async (_, body, code) => {
  const { send, packed } = trackFunction()
  expect(await send('/track', body)).toMatchObject({
    status: 400,
    body: { error: code },
  })
  expect(packed).toEqual([])
})

test('the message of a refused wide event in a batch names it', async () => {
  const { send } = trackFunction()
  const { body } = await send('/track/batch', { events: [good, { ...good, properties: wide(900) }] })
  expect(body.message).toBe('Field `properties` of events[1] has more than 8192 bytes as JSON. Send fewer.')
})

test('identify reads wide traits as before', async () => {
  const { send, records } = trackFunction()
  const traits = { properties: wide(150) }
  expect(
    await send('/identify', { token: 'aat_shop', previous_id: 'anon_1', user_id: 'u', traits }),
  ).toMatchObject({
    status: 202,
  })
  expect(records()[0]).toMatchObject({ traits })
})

test('a body of any form is read like by JSON.parse', async () => {
  const wideText = fc.constantFrom(...forms.map(([, json]) => json), WIDE_JSON)
  const value = fc.oneof(wideText, fc.constantFrom('null', '5', '"x"', '{}', '{"properties":{}}', '[]'))
  const item = fc.array(
    fc.tuple(fc.constantFrom('"properties"', '"properties" ', '"a"', '"\\"properties"', '"events"'), value),
    { maxLength: 3 },
  )
  const toText = (fields: [string, string][]) =>
    `{${fields.map(([name, json]) => `${name}:${json}`).join(',')}}`
  const body = fc.oneof(
    item.map(toText),
    fc.array(item.map(toText), { maxLength: 4 }).map(items => `{"events":[${items.join(',')}]}`),
  )
  let asText = 0
  fc.assert(
    fc.property(body, text => {
      const read = parseWideBody(Buffer.from(text))
      if (read === null) return
      asText += 1
      const plain = JSON.parse(JSON.stringify(read, (_, each) => toPlain(each)))
      expect(plain).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))))
    }),
    propertySettings(200),
  )
  expect(asText).toBeGreaterThan(5)
})

function toPlain(value: unknown): unknown {
  const { utf8 } = (value ?? {}) as { utf8?: Uint8Array }
  return utf8 === undefined ? value : JSON.parse(Buffer.from(utf8).toString())
}

test.each([
  ['small', 1],
  ['wide', 300],
])('a number of 64 bits in %s properties keeps its digits, as a text', async (_, keys) => {
  const { send, events } = trackFunction()
  const json = JSON.stringify(wide(keys)).replace(
    '}',
    ',"order":12345678901234567890,"list":[9007199254740993]}',
  )
  expect(await send('/track', withProperties(json))).toMatchObject({ status: 202 })
  expect(events()).toMatchObject([
    { properties: { order: '12345678901234567890', list: ['9007199254740993'] } },
  ])
})
