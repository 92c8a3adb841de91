import { expect, test } from 'vitest'
import { eventKey } from '#core/lake/consume/id-keys'
import type { CompactedBucket } from '#core/lake/model/compactor'
import { segmentKeys } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import {
  HOUR,
  keysOf,
  NOTHING_BEFORE,
  openCompactorLake,
  request,
  START,
  type StoredRow,
} from '#test/support/compactor-lake'

const START_S = START / 1_000
const withoutIds = (bucket: number) => ({ bucket, eventIds: [], ...NOTHING_BEFORE })

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
      knowsSources: true,
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
