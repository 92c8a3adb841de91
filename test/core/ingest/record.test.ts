import { randomBytes } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAMAGED, packText, padPacked, unpackedBytes } from '#core/ingest/packing'
import {
  EMPTY_EVENT,
  type EventsRecord,
  packRecord,
  type RecordedEvent,
  type StreamRecord,
  unpackRecord,
  unpackUnparsed,
} from '#core/ingest/record'
import { propertySettings } from '#test/support/depth'
import { eventsRecord } from '#test/support/events-record'

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

test('a record does not change when it is packed and unpacked', () => {
  fc.assert(
    fc.property(record, value => {
      expect(unpackRecord(packRecord(value))).toEqual(value)
    }),
    propertySettings(100),
  )
})

test('a large record is packed into a tenth of its text', () => {
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

const lengths = [1, 100, 1_023, 1_024, 1_500, 65_791, 65_792, 1_000_000]

/** Texts of that many characters: one that compresses well, and one that does not. */
function textsOf(length: number): string[] {
  return ['a'.repeat(length), randomBytes(length).toString('base64').slice(0, length)]
}

test.each(lengths)('the unpacked size of a record of %i characters is known without unpacking it', length => {
  for (const packed of textsOf(length).map(packText)) {
    // The size of a record that is not compressed includes its first byte.
    expect([length, length + 1]).toContain(unpackedBytes(packed))
    // The compressed text itself is not read.
    expect(unpackedBytes(packed)).toBe(unpackedBytes(packed.map((byte, i) => (i < 5 ? byte : 0))))
  }
})

test('the unpacked size of a damaged record is never negative and never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), bytes => {
      for (const packing of [[], [1], [2], [3]]) {
        expect(unpackedBytes(Uint8Array.from([...packing, ...bytes]))).toBeGreaterThanOrEqual(0)
      }
    }),
    propertySettings(100),
  )
})

test.each([
  ['a length that is too small', 999, /./],
  ['a length that is too large', 1_001, /the text has 1000 bytes, not 1001/],
  ['a length over 8 MiB', 8_388_609, /the length 8388609 is over/],
])('a record with %s cannot be unpacked', (_, length, reason) => {
  const packed = Buffer.concat([Buffer.of(0x03, 0, 0, 0, 0), zstdCompressSync('a'.repeat(1_000))])
  packed.writeUInt32LE(length, 1)
  expect(() => unpackRecord(packed)).toThrow(reason)
})

test('a record that would unpack to far more than a request has is not unpacked', () => {
  const text = 'a'.repeat(9_000_000)
  expect(() => unpackRecord(packText(text))).toThrow()
})

test.each([
  [[], /unknown packing/],
  [[0x7b], /unknown packing/],
  [[0x01], /JSON/],
  [[0x01, 0x7b, 0x7d], /no kind/],
  [[0x01, ...Buffer.from('{"kind":"later"}')], /unknown kind later/],
  [[0x01, ...Buffer.from('{"kind":"events","events":5}')], /no events/],
  [[0x02, 1, 2, 3], /unknown packing 2/],
  [[0x03], /the length is cut off/],
  [[0x03, 9, 0, 0, 0, 1, 2, 3], /./],
  [[DAMAGED, 0x01, 0x7b, 0x7d], /checksum/],
])('bytes %j cannot be unpacked, and the error says why', (bytes, reason) => {
  expect(() => unpackRecord(Uint8Array.from(bytes))).toThrow(reason)
})

describe('a record whose events are left as text', () => {
  const [event] = (
    eventsRecord(['a'], 5, {
      properties: { ',"events":[': ',"events":[{"a":1}]}', list: [1] },
    }) as EventsRecord
  ).events as [RecordedEvent]
  const events = [event, EMPTY_EVENT]
  const withErased = { ...(eventsRecord([], 5) as EventsRecord), events }
  const forms: [form: string, bytes: Uint8Array][] = [
    ['as ingestion writes it', packRecord({ ...withErased, events: [event] })],
    ['with a credential', packRecord({ ...withErased, events: [event], credentialed: true })],
    ['with erased events', packText(JSON.stringify(withErased))],
    ['without events', packRecord({ ...withErased, events: [] })],
    ['with blanks after it', padPacked(packText(JSON.stringify(withErased)), 5_000)],
    ['with fields in another order', packText(JSON.stringify(reversed(withErased)))],
  ]

  test.each(forms)('%s has the same content', (_, bytes) => {
    expect(parsedLater(bytes)).toEqual(unpackRecord(bytes))
  })

  test('every record has the same content', () => {
    const isSame = (value: StreamRecord) => {
      expect(parsedLater(packRecord(value))).toEqual(unpackRecord(packRecord(value)))
    }
    fc.assert(fc.property(record, isSame), propertySettings(100))
  })

  function reversed(value: object): object {
    return Object.fromEntries(Object.entries(value).toReversed())
  }

  function parsedLater(bytes: Uint8Array): unknown {
    const unparsed = unpackUnparsed(bytes)
    if (unparsed.kind !== 'events') return unparsed
    const { eventsJson, ...head } = unparsed
    return { ...head, events: JSON.parse(eventsJson.toString()) }
  }

  test.each([
    '{"kind":"events"}',
    '{"kind":"events","events":5}',
    '{"kind":"new","events":[]}',
    '[]',
    '{"a":1,"events":[]}',
  ])('%s is refused like a record that is parsed', json => {
    const bytes = packText(json)
    const refusal = (read: (bytes: Uint8Array) => unknown) => {
      try {
        return read(bytes)
      } catch (error) {
        return String(error)
      }
    }
    expect(refusal(unpackUnparsed)).toBe(refusal(unpackRecord))
  })
})
