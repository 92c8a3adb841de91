import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { arrivalLag, arrivalOfUlid, eventUlid } from '#core/ingest/ids'
import { createEventEraser } from '#core/lake/erase/event-eraser'
import { userHash } from '#core/lake/erase/tombstones'
import {
  eraseFromChunk,
  isAfter,
  type LiveRecord,
  packEvents,
  toLiveEvents,
  toWritten,
  unpackEvents,
} from '#core/live/chunk'
import { liveRecord, toEntry } from '#test/support/live-records'

const NOW = Date.UTC(2026, 10, 22, 12)

test('a chunk gives back its events, with the ids that reports show', () => {
  const record = liveRecord(
    5,
    NOW,
    [
      {
        event: 'a',
        properties: { path: '/', n: 1.5, nested: { list: [null] } },
        user_id: 'u',
        event_id: 'e-1',
      },
      { event: 'b', timestamp: NOW - 90_000, session_id: 's' },
    ],
    'DE',
  )
  const [chunk = expect.unreachable(), ...others] = packEvents('p', [toWritten(record)])
  expect(others).toEqual([])
  expect(chunk.first).toEqual({ sequence: '5', index: 0 })
  expect(unpackEvents('p', chunk.bytes).events).toEqual([
    {
      ...record.events[0],
      id: eventUlid(NOW, 0, 5_000),
      country: 'DE',
      credentialed: false,
      received_at: NOW,
      seq: 5_000,
      position: { sequence: '5', index: 0 },
    },
    {
      ...record.events[1],
      id: eventUlid(NOW - 90_000, arrivalLag(NOW - 90_000, NOW), 5_001),
      country: 'DE',
      credentialed: false,
      received_at: NOW,
      seq: 5_001,
      position: { sequence: '5', index: 1 },
    },
  ])
})

describe('a large record', () => {
  const wide = (count: number, user: string | null = null) =>
    Array.from({ length: count }, (_, i) => ({
      user_id: i === 1 ? user : null,
      properties: Object.fromEntries(Array.from({ length: 800 }, (_, key) => [`k${key}`, key * i])),
    }))
  const written = (record: LiveRecord) => ({ ...toWritten(record), packed: toEntry(record, 'p').data })

  test('is a chunk of its own, in the bytes of the stream, and is read like others in its place', () => {
    const [before, large, after] = [
      liveRecord(1, NOW, [{ event: 'before' }]),
      { ...liveRecord(2, NOW, wide(30), 'DE'), credentialed: true as const },
      liveRecord(3, NOW, [{ event: 'after' }]),
    ]
    const chunks = packEvents('p', [before, large, after].map(written))
    expect(chunks.map(({ first }) => first.sequence)).toEqual(['1', '2', '3'])
    const { packed } = written(large)
    expect(chunks[1]?.bytes.subarray(-packed.length)).toEqual(packed)
    expect(chunks.map(({ bytes }) => unpackEvents('p', bytes).events)).toEqual(
      [before, large, after].map(record => toLiveEvents(record)),
    )
    expect(chunks.flatMap(({ bytes }) => unpackEvents('other', bytes).events)).toEqual([])
  })

  test('is packed with others if it is not large enough, and divided if it is too large for an item', () => {
    const small = liveRecord(1, NOW, wide(5))
    expect(packEvents('p', [small, { ...small, sequence: '2' }].map(written))).toHaveLength(1)
    const noise = Array.from({ length: 60 }, () => ({
      properties: { noise: randomBytes(9_000).toString('base64') },
    }))
    const huge = liveRecord(9, NOW, noise)
    const chunks = packEvents('p', [written(huge)])
    for (const { bytes } of chunks) expect(bytes.length).toBeLessThanOrEqual(400_000)
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.flatMap(({ bytes }) => unpackEvents('p', bytes).events)).toEqual(toLiveEvents(huge))
  })

  test('loses its erased events, and all others keep their positions', () => {
    const record = liveRecord(2, NOW, wide(30, 'ann'))
    const [chunk = expect.unreachable()] = packEvents('p', [written(record)])
    const erased = {
      ...{ project_id: 'p', user_key: null, user_hash: userHash('ann') },
      ...{ erased_until_ms: NOW, number: 1 },
    }
    const rest = eraseFromChunk(chunk.bytes, createEventEraser([erased])) ?? expect.unreachable()
    expect(unpackEvents('p', rest).events).toEqual(
      toLiveEvents(record).filter(event => event.user_id !== 'ann'),
    )
    expect(eraseFromChunk(rest, createEventEraser([erased]))).toBeNull()
    expect(eraseFromChunk(chunk.bytes, createEventEraser([{ ...erased, project_id: 'q' }]))).toBeNull()
  })
})

test('a chunk gives back the deepest properties that fit into 8 KB', () => {
  const deep: unknown = JSON.parse('['.repeat(4_090) + ']'.repeat(4_090))
  const record = liveRecord(5, NOW, [{ event: 'a', properties: { deep } }])
  const [chunk = expect.unreachable()] = packEvents('p', [toWritten(record)])
  const [event = expect.unreachable()] = unpackEvents('p', chunk.bytes).events
  expect(JSON.stringify({ events: [event] })).toContain('['.repeat(4_090))
})

test('no records make no chunk', () => expect(packEvents('p', [])).toEqual([]))

describe('events that do not compress', () => {
  const records = Array.from({ length: 6 }, (_, i) =>
    liveRecord(
      i,
      NOW,
      Array.from({ length: 40 }, () => ({ properties: { noise: randomBytes(3_000).toString('base64') } })),
    ),
  )

  test('fill several chunks, each small enough for an item, and none is lost or repeated', () => {
    const chunks = packEvents('p', records.map(toWritten))
    expect(chunks.length).toBeGreaterThan(1)
    for (const { bytes } of chunks) expect(bytes.length).toBeLessThanOrEqual(350_000)
    const events = chunks.flatMap(({ bytes }) => unpackEvents('p', bytes).events)
    expect(events.map(({ seq }) => seq)).toEqual(
      records.flatMap(({ seq, events }) => events.map((_, i) => seq + i)),
    )
  })

  test('of one large record fill several chunks, each with the position of its first event', () => {
    const events = [...records, ...records].flatMap(({ events }) => events)
    const chunks = packEvents('p', [toWritten(liveRecord(9, NOW, events))])
    expect(chunks.length).toBeGreaterThan(1)
    const firsts = chunks.map(({ bytes }) => unpackEvents('p', bytes).events[0]?.position)
    expect(chunks.map(({ first }) => first)).toEqual(firsts)
  })
})

test('positions of a shard are in the order of the stream, whatever the length of a sequence', () => {
  const at = (sequence: string, index: number) => ({ sequence, index })
  expect(isAfter(at('10', 0), at('9', 5))).toBe(true)
  expect(isAfter(at('9', 5), at('10', 0))).toBe(false)
  expect(isAfter(at('9', 1), at('9', 0))).toBe(true)
  expect(isAfter(at('9', 1), at('9', 1))).toBe(false)
})

test('the id of an event tells the second in which it arrived', () => {
  const id = eventUlid(NOW - 3_600_500, arrivalLag(NOW - 3_600_500, NOW + 700), 2 ** 53 - 1)
  expect(arrivalOfUlid(id)).toBe(NOW)
  for (const text of ['', 'x', id.toLowerCase(), `${id}0`, 'Z'.repeat(26)])
    expect(arrivalOfUlid(text)).toBe(null)
})
