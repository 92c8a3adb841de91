import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  DAMAGED,
  packJson,
  packRecord,
  type StreamRecord,
  unpackedBytes,
  unpackRecord,
} from '#core/ingest/record'
import { propertySettings } from '#test/support/depth'

const text = fc.string({ unit: 'binary' }).map(value => value.toWellFormed())
const maybe = fc.option(text, { nil: null })

const record: fc.Arbitrary<StreamRecord> = fc.oneof(
  fc.record({
    kind: fc.constant('bots' as const),
    project_id: text,
    account_id: text,
    received_at: fc.nat(),
    category: text,
    actor: text,
    dropped: fc.nat(),
  }),
  fc.record({
    kind: fc.constant('events' as const),
    project_id: text,
    account_id: text,
    received_at: fc.nat(),
    bucket: fc.nat(63),
    seq: fc.nat(),
    country: maybe,
    events: fc.array(
      fc.record({
        event: text,
        properties: fc.option(fc.dictionary(text, text, { noNullPrototype: true }), { nil: null }),
        user_id: maybe,
        session_id: maybe,
        timestamp: fc.nat(),
        event_id: maybe,
      }),
      { maxLength: 30 },
    ),
  }),
)

test('a record is unpacked as it was packed, small or big', () => {
  fc.assert(
    fc.property(record, value => {
      expect(unpackRecord(packRecord(value))).toEqual(value)
    }),
    propertySettings(100),
  )
})

test('a big record is packed into less than its text', () => {
  const events = Array.from({ length: 100 }, () => ({
    event: 'page_view',
    properties: { path: '/pricing' },
    user_id: 'u',
    session_id: 's',
    timestamp: 1,
    event_id: null,
  }))
  const value: StreamRecord = {
    kind: 'events',
    project_id: 'p',
    account_id: 'a',
    received_at: 1,
    bucket: 1,
    seq: 1,
    country: null,
    events,
  }
  expect(packRecord(value).length).toBeLessThan(JSON.stringify(value).length / 10)
})

test.each([1, 100, 1_023, 1_024, 1_500, 65_791, 65_792, 1_000_000])(
  'a record of %i characters says how many they are',
  length => {
    const repetitive = packJson('a'.repeat(length))
    const random = packJson(randomBytes(length).toString('base64').slice(0, length))
    // Unpacked ones are told with the byte that names the packing.
    for (const packed of [repetitive, random]) expect([length, length + 1]).toContain(unpackedBytes(packed))
  },
)

test('of a record whose head is cut off or made up, no size is found that is not there', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), bytes => {
      expect(unpackedBytes(bytes)).toBeGreaterThanOrEqual(0)
      expect(unpackedBytes(Uint8Array.from([2, ...bytes]))).toBeGreaterThanOrEqual(0)
    }),
    propertySettings(100),
  )
})

test('a record that would unpack to far more than a request holds is not unpacked', () => {
  expect(() => unpackRecord(packJson('a'.repeat(9_000_000)))).toThrow()
})

test.each([
  [[], /unknown packing/],
  [[0x7b], /unknown packing/],
  [[0x01], /JSON/],
  [[0x01, 0x7b, 0x7d], /unknown kind/],
  [[0x01, ...Buffer.from('{"kind":"events","events":5}')], /unknown kind/],
  [[0x02, 1, 2, 3], /./],
  [[DAMAGED, 0x01, 0x7b, 0x7d], /checksum/],
])('bytes %j cannot be unpacked, and the error says why', (bytes, reason) => {
  expect(() => unpackRecord(Uint8Array.from(bytes))).toThrow(reason)
})
