import { readdir } from 'node:fs/promises'
import { parquetMetadata } from 'hyparquet'
import { expect, test } from 'vitest'
import type { CompactedBucket } from '#core/lake/compact/compactor'
import { eventKey, shortKey } from '#core/lake/consume/id-keys'
import { hotKey, segmentKey, segmentKeys } from '#core/lake/keys'
import type { Segment } from '#core/lake/segment'
import { DamagedObject } from '#duckdb/damaged'
import { tables } from '#schemas/columns'
import {
  HOUR,
  keysOf,
  NOTHING_BEFORE,
  openCompactorLake,
  request,
  START,
  type StoredRow,
} from '#test/support/compactor-lake'
import { damageParquet } from '#test/support/damage-parquet'

const START_S = START / 1_000
const withoutIds = (bucket: number) => ({ bucket, eventIds: [], ...NOTHING_BEFORE })

/** The key of a user or session as a Parquet reader returns it. */
const parquetKey = (text: string) => BigInt(shortKey(text) ?? -1)

function segmentOf(result: CompactedBucket | undefined): Segment | null {
  if (result === undefined || 'failure' in result) throw result?.failure
  return result.segment
}

function eventNames(rows: readonly StoredRow[]): unknown[] {
  return rows.map(row => row.event)
}

test('an epoch becomes one segment of each bucket that has rows, and the result describes it', async () => {
  const { compactor, writeHot, readSegment, keys, lake } = await openCompactorLake()
  const hot = [
    await writeHot(1, [
      request({ bucket: 3, project: 'proj_3' }),
      request({ events: [{}, { event: 'signup', timestamp: START - 500 }] }),
    ]),
    await writeHot(1, [request({ bucket: 9, project: 'proj_9' })]),
  ]
  const buckets = [3, 5, 7, 9].map(withoutIds)
  const results = await compactor.compactEpoch({ epoch: 1, hot, buckets })

  expect(results.map(({ bucket }) => bucket)).toEqual([3, 5, 7, 9])
  expect(results[1]).toEqual({
    bucket: 5,
    isEmpty: true,
    segment: null,
    stored: [],
    removed: [],
    replaced: [],
  })
  const sizes = (await lake.list('segments/')).filter(({ key }) => key.includes('bucket=7/'))
  expect(results[2]).toEqual({
    bucket: 7,
    isEmpty: false,
    segment: {
      from: 1,
      until: 2,
      generation: 0,
      parts: 1,
      rows: 2,
      bytes: sizes.reduce((sum, { size }) => sum + size, 0),
      firstAt: START - 500,
      lastAt: START,
      lastArrival: START_S,
      eventIds: 2,
      erased: 0,
      knowsSplit: true,
    },
    stored: [{ project_id: 'proj_1', day: '2026-11-18', events: 2 }],
    removed: [],
    replaced: [],
  })
  const segment = segmentOf(results[2]) as Segment
  expect(await keys('segments/')).toEqual([3, 7, 9].flatMap(bucket => keysOf(segment, bucket)).toSorted())
  expect(eventNames(await readSegment('segment_events', segment))).toEqual(['signup', 'page_view'])
})

test('a bucket that the job does not name is left out', async () => {
  const { compactor, writeHot, keys } = await openCompactorLake()
  const hot = [await writeHot(1, [request({ bucket: 3 }), request({ bucket: 7 })])]
  expect(await compactor.compactEpoch({ epoch: 1, hot, buckets: [withoutIds(3)] })).toHaveLength(1)
  expect(await keys('segments/events/')).toEqual(['segments/events/bucket=3/1-2-0-0.parquet'])
})

test('the first copy of an event_id to arrive is stored, and stored events are counted by their day of arrival', async () => {
  const { compactor, writeHot, readSegment } = await openCompactorLake()
  const copy = (at: number, event: string) => request({ at, events: [{ event_id: 'e', event }] })
  const hot = [
    await writeHot(1, [copy(START + 3 * HOUR, 'third'), copy(START + HOUR, 'second')]),
    await writeHot(1, [
      copy(START, 'first'),
      request({ project: 'proj_2', at: START + 3 * HOUR, events: [{ event_id: 'e', timestamp: START }] }),
    ]),
  ]
  const [result] = await compactor.compactEpoch({ epoch: 1, hot, buckets: [withoutIds(7)] })
  expect(result).toMatchObject({
    stored: [
      { project_id: 'proj_1', day: '2026-11-18', events: 1 },
      { project_id: 'proj_2', day: '2026-11-19', events: 1 },
    ],
  })
  const rows = await readSegment('segment_events', segmentOf(result))
  expect(rows.map(row => [row.project_id, row.event])).toEqual([
    ['proj_1', 'first'],
    ['proj_2', 'page_view'],
  ])
})

test('an event with the event_id of a stored event is dropped within 24 hours and stored after them', async () => {
  const { compactor, writeHot, compact } = await openCompactorLake()
  const copy = (at: number) => request({ at, events: [{ event_id: 'e' }] })
  await writeHot(1, [copy(START)])
  const first = (await compact(1)) as Segment
  const eventIds = segmentKeys('segment_event_ids', 7, first)
  const hot = [await writeHot(2, [copy(START + 24 * HOUR)])]
  // Its only event is a copy, so the epoch of the bucket has no segment, but is not empty.
  const [result] = await compactor.compactEpoch({ epoch: 2, hot, buckets: [{ ...withoutIds(7), eventIds }] })
  expect(result).toEqual({ bucket: 7, isEmpty: false, segment: null, stored: [], removed: [], replaced: [] })
  await writeHot(3, [copy(START + 24 * HOUR + 1_000)])
  expect(await compact(3, { eventIds })).toMatchObject({ rows: 1 })
  await writeHot(4, [copy(START - 24 * HOUR)])
  expect(await compact(4, { eventIds })).toBeNull()
})

test('a record that the service stored twice in an epoch is stored once, also without an event_id', async () => {
  const { writeHot, compact } = await openCompactorLake()
  const record = request({ events: [{}, { event: 'signup' }] })
  await writeHot(1, [record])
  await writeHot(1, [record, request({ events: [{}] })])
  expect(await compact(1)).toMatchObject({ rows: 3 })
})

test('a record that the service stored again in the next epoch is stored once if it arrived in the last 15 minutes of its shard', async () => {
  const { writeHot, compact } = await openCompactorLake()
  const [old, recent] = [request({ at: START - 901_000 }), request({ at: START - 900_000 })]
  await writeHot(1, [old, recent, request({ at: START })], 'a')
  // Another shard is further, and does not count.
  await writeHot(1, [request({ at: START + HOUR })], 'b')
  const first = (await compact(1)) as Segment
  expect(first).toMatchObject({ rows: 4, eventIds: 3 })
  await writeHot(2, [old, recent], 'a')
  expect(await compact(2, { eventIds: segmentKeys('segment_event_ids', 7, first) })).toMatchObject({
    rows: 1,
    lastArrival: START_S - 901,
  })
})

test('segment_event_ids has the event_key and the arrival of the stored events of the last 30 hours, in the order of event_key', async () => {
  const { writeHot, compact, readSegment } = await openCompactorLake()
  const ids = Array.from({ length: 50 }, (_, i) => `event ${i}`)
  const at = START + 30 * HOUR
  await writeHot(1, [
    request({ at: START - 1_000, events: [{ event_id: 'too old' }] }),
    request({ at: START, events: [{ event_id: 'oldest' }] }),
    request({ at, events: ids.map(event_id => ({ event_id })) }),
    request({ at, events: [{ event_id: 'event 0' }] }),
  ])
  const keyOf = (id: string) => eventKey('proj_1', id) as bigint
  const expected = [
    { event_key: keyOf('oldest'), arrival: BigInt(START_S) },
    ...ids.map(id => ({ event_key: keyOf(id), arrival: BigInt(at / 1_000) })),
  ]
  expect(await readSegment('segment_event_ids', await compact(1))).toEqual(
    expected.toSorted((a, b) => (a.event_key < b.event_key ? -1 : 1)),
  )
})

test('the rows of a session are stored together, and sessions in the order in which they started', async () => {
  const { writeHot, compact, readSegment } = await openCompactorLake()
  const event = (session_id: string | null, after: number) => ({ session_id, timestamp: START + after })
  await writeHot(1, [
    request({ events: [event('a', 0), event('b', 1), event('a', 2), event(null, 3), event('b', 9)] }),
  ])
  const rows = await readSegment('segment_events', await compact(1))
  expect(rows.map(row => row.session_id ?? null)).toEqual(['a', 'a', 'b', 'b', null])
})

test('segment_sessions has a row for each session and UTC date, with user, entry page and exit page', async () => {
  const { writeHot, compact, readSegment } = await openCompactorLake()
  const page = (path: string) => ({ path, url: 'https://example.com/x' })
  const events = [
    { timestamp: START, event: 'page_view', user_id: null, properties: { path: '' } },
    { timestamp: START + HOUR, event: 'signup', user_id: 'u1', properties: page('/first') },
    { timestamp: START + HOUR, event: 'page_view', user_id: 'u2', properties: page('') },
    { timestamp: START + HOUR + 1, event: 'page_view', user_id: null },
    { timestamp: START + 3 * HOUR, session_id: null },
    { timestamp: START - 72 * HOUR, properties: page('/late') },
  ]
  await writeHot(1, [request({ events, at: START + 3 * HOUR, seq: 1_000 })])
  expect(await readSegment('segment_sessions', await compact(1))).toEqual([
    {
      project_id: 'proj_1',
      date: new Date('2026-11-15'),
      session_key: parquetKey('s1'),
      user_key: parquetKey('u1'),
      user_at: null,
      user_lag_s: 270_000n,
      start_at: new Date(START - 72 * HOUR),
      end_at: new Date(START - 72 * HOUR),
      event_count: 1n,
      interactive_count: 0n,
      entry_page: '/late',
      entry_at: null,
      entry_lag_s: 270_000n,
      exit_page: '/late',
      exit_at: null,
      exit_lag_s: 270_000n,
      may_be_split: 1n,
      user_parts: null,
    },
    {
      project_id: 'proj_1',
      date: new Date('2026-11-18'),
      session_key: parquetKey('s1'),
      user_key: parquetKey('u2'),
      user_at: new Date(START + HOUR),
      user_lag_s: 7_200n,
      start_at: new Date(START),
      end_at: new Date(START + HOUR + 1),
      event_count: 4n,
      interactive_count: 1n,
      entry_page: '/first',
      entry_at: new Date(START + HOUR),
      entry_lag_s: 7_200n,
      exit_page: 'https://example.com/x',
      exit_at: new Date(START + HOUR),
      exit_lag_s: 7_200n,
      may_be_split: 1n,
      // Of each user and of the events without one: seq and lag_s, times, numbers of events, first and last
      // page.
      user_parts: [
        `${shortKey('u2')}|7200|1002|2026-11-18 23:00:00|2026-11-18 23:00:00|1|0|https%3A%2F%2Fexample.com%2Fx|2026-11-18 23:00:00|7200|1002|https%3A%2F%2Fexample.com%2Fx|2026-11-18 23:00:00|7200|1002`,
        `${shortKey('u1')}|7200|1001|2026-11-18 23:00:00|2026-11-18 23:00:00|1|1|%2Ffirst|2026-11-18 23:00:00|7200|1001|%2Ffirst|2026-11-18 23:00:00|7200|1001`,
        '|||2026-11-18 22:00:00|2026-11-18 23:00:00.001|2|0||||||||',
      ].join(','),
    },
  ])
})

test('segment_activity counts the events of each user with each name by UTC date, and in one row those of all users', async () => {
  const { writeHot, compact, readSegment } = await openCompactorLake()
  const events = [
    { event: 'signup' },
    { timestamp: START + 3 * HOUR },
    { user_id: null },
    { user_id: null },
    { timestamp: START + HOUR },
    {},
  ]
  await writeHot(1, [request({ events })])
  const rows = await readSegment('segment_activity', await compact(1))
  const row = (day: string, user: string | null, event: string, count: bigint, total: bigint | null) => ({
    project_id: 'proj_1',
    date: new Date(day),
    user_key: user === null ? null : parquetKey(user),
    event,
    country: 'DE',
    event_count: count,
    total_count: total,
  })
  expect(rows).toEqual([
    row('2026-11-18', 'u1', 'page_view', 2n, 4n),
    row('2026-11-18', 'u1', 'signup', 1n, 1n),
    row('2026-11-18', null, 'page_view', 2n, null),
    row('2026-11-19', 'u1', 'page_view', 1n, 1n),
  ])
})

test('the files have the columns of schemas/columns.ts, with timestamps in milliseconds that are not UTC-adjusted', async () => {
  const { writeHot, compact, lake } = await openCompactorLake()
  await writeHot(1, [request({})])
  const segment = (await compact(1)) as Segment
  for (const table of [
    'segment_events',
    'segment_sessions',
    'segment_activity',
    'segment_event_ids',
  ] as const) {
    const bytes = (await lake.get(segmentKey(table, 7, segment, 0))) as Uint8Array
    const { schema } = parquetMetadata(new Uint8Array(bytes).buffer)
    const columns = schema.slice(1)
    expect(columns.map(({ name }) => name)).toEqual(tables[table].columns.map(({ name }) => name))
    for (const column of columns) {
      const type = tables[table].columns.find(({ name }) => name === column.name)?.type
      if (type === 'date') expect(column).toMatchObject({ type: 'INT32', converted_type: 'DATE' })
      if (type !== 'timestamp') continue
      expect(column).toMatchObject({ logical_type: { isAdjustedToUTC: false, unit: 'MILLIS' } })
    }
  }
})

/** Traffic of three buckets in 12 hot files, with copies of both kinds within files and across them. */
async function writeMixedTraffic({
  writeHot,
}: Pick<Awaited<ReturnType<typeof openCompactorLake>>, 'writeHot'>) {
  const hot = []
  for (let file = 0; file < 12; file++) {
    const records = [0, 1, 2]
      // Bucket 2 has no rows in the first files.
      .filter(bucket => bucket < 2 || file > 4)
      .flatMap(bucket => {
        const events = Array.from({ length: 40 }, (_, i) => ({
          session_id: `s${(file * i) % 13}`,
          user_id: i % 3 === 0 ? null : `u${i % 7}`,
          timestamp: START - ((file * 31 + i * 7) % 100) * 1_000,
          event: i % 5 === 0 ? 'signup' : 'page_view',
          event_id: i % 2 === 0 ? `e${(file * 40 + i) % 300}` : null,
          properties: { path: `/${i % 4}` },
        }))
        const copy = { project: `proj_${bucket}`, bucket, at: START + (file % 4) * 1_000 }
        return [
          request({ ...copy, events, seq: file * 1_000 }),
          // The service stored one record in two hot files.
          request({
            ...copy,
            at: START,
            events: [{ event: 'stored twice' }],
            seq: 1_000_000 + Math.floor(file / 2),
          }),
        ]
      })
    hot.push(await writeHot(1, records))
  }
  return hot
}

test('an epoch in several slices gives the events, ids and counts of one slice, in parts without gaps', async () => {
  const outputs = []
  for (const sliceBytes of [1_000_000, 20_000]) {
    const setting = await openCompactorLake({ sliceBytes })
    const { compactor, readSegment } = setting
    const hot = await writeMixedTraffic(setting)
    const results = await compactor.compactEpoch({ epoch: 1, hot, buckets: [0, 1, 2].map(withoutIds) })
    for (const result of results) {
      if ('failure' in result) throw result.failure
      const { bucket, segment, stored } = result
      const rowsOf = async (table: 'segment_events' | 'segment_event_ids') =>
        (await readSegment(table, segment, bucket))
          .map(row => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
          .toSorted()
      const sessions = await readSegment('segment_sessions', segment, bucket)
      const activity = await readSegment('segment_activity', segment, bucket)
      const countOf = (rows: StoredRow[]) => rows.reduce((sum, row) => sum + Number(row.event_count), 0)
      outputs.push({
        sliceBytes,
        parts: segment?.parts,
        same: {
          bucket,
          stored,
          segment: { ...segment, bytes: 0, parts: 0, knowsSplit: null },
          events: await rowsOf('segment_events'),
          ids: await rowsOf('segment_event_ids'),
          counts: [countOf(sessions), countOf(activity)],
        },
      })
    }
  }
  const [whole, sliced] = [outputs.slice(0, 3), outputs.slice(3)]
  expect(whole.map(({ parts }) => parts)).toEqual([1, 1, 1])
  expect(sliced.map(({ parts }) => parts)).toEqual([4, 4, 3])
  expect(sliced.map(({ same }) => same)).toEqual(whole.map(({ same }) => same))
  expect(whole[0]?.same.events.length).toBeLessThan(12 * 41)
})

test('a job that runs twice writes the same rows', async () => {
  const setting = await openCompactorLake({ sliceBytes: 20_000 })
  const hot = await writeMixedTraffic(setting)
  const runJob = async () => {
    const [result] = await setting.compactor.compactEpoch({ epoch: 1, hot, buckets: [withoutIds(1)] })
    const segment = segmentOf(result)
    return { result, rows: await setting.readSegment('segment_events', segment, 1) }
  }
  const first = await runJob()
  const second = await runJob()
  expect(second).toEqual(first)
})

test('events that are too wide for the memory are written in the same order, but in smaller row groups', async () => {
  const outputs = []
  for (const memoryMb of [64, 512]) {
    const { compact, writeHot, lake, readSegment } = await openCompactorLake({ memoryMb })
    for (let file = 0; file < 8; file++) {
      const events = Array.from({ length: 1_000 }, (_, i) => ({
        session_id: `s${(file * i) % 997}`,
        timestamp: START - ((file + i * 7_919) % 100_000),
        properties: { text: `${i} `.repeat(1_200) },
      }))
      await writeHot(1, [request({ events, project: `proj_${file % 3}`, seq: file * 1_000 })])
    }
    const segment = (await compact(1)) as Segment
    const bytes = (await lake.get(segmentKey('segment_events', 7, segment, 0))) ?? new Uint8Array()
    const { row_groups } = parquetMetadata(new Uint8Array(bytes).buffer)
    outputs.push({ rows: await readSegment('segment_events', segment), groups: row_groups.length })
  }
  expect(outputs[0]?.groups).toBeGreaterThan(2)
  expect(outputs[1]?.groups).toBe(1)
  expect(outputs[0]?.rows).toHaveLength(8_000)
  expect(outputs[0]?.rows).toEqual(outputs[1]?.rows)
})

test.each([
  ['cut off', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 20)],
  ['overwritten', damageParquet],
  ['empty', () => new Uint8Array()],
])(
  'a hot file that is %s stops the compaction with an error that names it, and nothing is written',
  async (_, damage) => {
    const { compactor, writeHot, lake, logged, keys, tempDir } = await openCompactorLake()
    const hot = [await writeHot(1, [request({})]), await writeHot(1, [request({})])]
    const [, second = { key: '' }] = hot
    await lake.put(second.key, damage((await lake.get(second.key)) as Uint8Array))
    const compaction = compactor.compactEpoch({ epoch: 1, hot, buckets: [withoutIds(7)] })
    await expect(compaction).rejects.toThrow(DamagedObject)
    await expect(compaction).rejects.toMatchObject({ key: second.key })
    expect(logged).toContain('LAKE_OBJECT_DAMAGED')
    expect(await keys('segments/')).toEqual([])
    expect(await readdir(tempDir)).toEqual([])
  },
)

test('a bucket whose stored event_ids are missing or damaged fails alone, with an error that names the file', async () => {
  const { compactor, writeHot, lake, readSegment } = await openCompactorLake()
  const hot = [
    await writeHot(
      2,
      [1, 2, 3].map(bucket => request({ bucket, events: [{ event_id: 'e' }] })),
    ),
  ]
  const keyOf = (bucket: number) => `segments/event-ids/bucket=${bucket}/1-2-0-0.parquet`
  await lake.put(keyOf(1), new Uint8Array(100))
  const buckets = [
    { bucket: 1, eventIds: [keyOf(1)], ...NOTHING_BEFORE },
    { bucket: 2, eventIds: [keyOf(2)], ...NOTHING_BEFORE },
    { bucket: 3, eventIds: [], ...NOTHING_BEFORE },
  ]
  const results = await compactor.compactEpoch({ epoch: 2, hot, buckets })
  expect(results.slice(0, 2)).toMatchObject([
    { bucket: 1, failure: { name: 'DamagedObject', key: keyOf(1) } },
    { bucket: 2, failure: { name: 'DamagedObject', key: keyOf(2) } },
  ])
  expect(await readSegment('segment_events', segmentOf(results[2]), 3)).toHaveLength(1)
})

test('a bucket whose object cannot be written fails alone, and the file of its events is not written', async () => {
  const refused = new Error('no room')
  const { compactor, writeHot, keys } = await openCompactorLake({ sliceBytes: 1 }, lake => ({
    ...lake,
    put: async (key, bytes) => {
      if (key === 'segments/activity/bucket=1/1-2-0-1.parquet') throw refused
      await lake.put(key, bytes)
    },
  }))
  const hot = []
  for (let file = 0; file < 3; file++) {
    hot.push(await writeHot(1, [request({ bucket: 1 }), request({ bucket: 2 })]))
  }
  const results = await compactor.compactEpoch({ epoch: 1, hot, buckets: [1, 2].map(withoutIds) })
  expect(results[0]).toEqual({ bucket: 1, failure: refused })
  expect(segmentOf(results[1])).toMatchObject({ parts: 3, rows: 3 })
  expect(await keys('segments/events/bucket=1/')).toEqual(['segments/events/bucket=1/1-2-0-0.parquet'])
})

test('a missing hot file stops the compaction with an error that names it', async () => {
  const { compactor } = await openCompactorLake()
  const key = hotKey('0', { first: '1', last: '2', epoch: 1 })
  const job = { epoch: 1, hot: [{ key, size: 100 }], buckets: [withoutIds(7)] }
  await expect(compactor.compactEpoch(job)).rejects.toMatchObject({ name: 'DamagedObject', key })
})

test('an epoch without hot files gives no segment', async () => {
  const { compactor, keys } = await openCompactorLake()
  expect(await compactor.compactEpoch({ epoch: 1, hot: [], buckets: [withoutIds(7)] })).toEqual([
    { bucket: 7, isEmpty: true, segment: null, stored: [], removed: [], replaced: [] },
  ])
  expect(await keys()).toEqual([])
})

test('an event with a credential is stored beside a stored copy without one, and the result names that one', async () => {
  const { compactor, writeHot, readSegment, compact } = await openCompactorLake()
  const copy = (event: string, at: number, event_id = 'e') => request({ at, events: [{ event_id, event }] })
  const proven = (event: string, at: number, event_id = 'e') =>
    ({ ...copy(event, at, event_id), credentialed: true }) as const
  await writeHot(1, [copy('visitor', START), proven('early', START, 'f')])
  const first = (await compact(1)) as Segment
  const eventIds = segmentKeys('segment_event_ids', 7, first)
  const hot = [
    await writeHot(2, [
      proven('server', START + HOUR),
      copy('again', START + 2 * HOUR),
      proven('retry', START + 3 * HOUR),
    ]),
    await writeHot(2, [
      copy('late', START + HOUR, 'f'),
      copy('before', START, 'g'),
      proven('after', START + HOUR, 'g'),
    ]),
  ]
  const [result] = await compactor.compactEpoch({
    epoch: 2,
    hot,
    buckets: [{ ...withoutIds(7), eventIds, older: [first] }],
  })
  expect(result).toMatchObject({ replaced: [{ key: String(eventKey('proj_1', 'e')), arrival: START_S }] })
  const names = eventNames(await readSegment('segment_events', segmentOf(result)))
  expect(names.toSorted()).toEqual(['after', 'server'])
})
