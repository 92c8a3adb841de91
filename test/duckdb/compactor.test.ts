import { DuckDBConnection } from '@duckdb/node-api'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventKey } from '#core/lake/consume/id-keys'
import { SEGMENT_TABLES, segmentKey, segmentKeys } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import type { Lake } from '#core/ports'
import { createCompactor } from '#duckdb/compactor'
import {
  HOUR,
  NOTHING_BEFORE,
  openCompactorLake,
  request,
  START,
  withoutSeqs,
} from '#test/support/compactor-lake'
import { lakeWithOldFiles } from '#test/support/old-files'
import { SOURCE_COLUMNS } from '#test/support/old-segments'

const ROLLUPS = ['segment_sessions', 'segment_activity'] as const
const target = (from: number, until: number) => ({ from, until, generation: 0 })

/** A request whose sessions, users and pages go on over several requests, and over midnight. */
function browsing(number: number) {
  const events = Array.from({ length: 30 }, (_, i) => ({
    session_id: i % 11 === 0 ? null : `s${(number * i) % 7}`,
    user_id: i % 4 === 0 ? null : `u${(number + i) % 5}`,
    // No two events have one timestamp, because the seq of an event is not in the rollups.
    timestamp: START + ((i * 397 + number * 131) % 600) * 30_000 + number,
    event: i % 3 === 0 ? 'signup' : 'page_view',
    properties: {
      path: i % 5 === 0 ? '' : `/${i}`,
      url: i % 2 === 0 ? `https://example.com/${number}` : '',
      ...(i % 3 === 1 && { referrer: `https://site${i % 4}.example/${i}`, hostname: 'example.com' }),
      ...(i % 4 === 2 && {
        utm_source: `s${number}`,
        utm_medium: '',
        utm_campaign: 'a|b, c',
        click_id: 'gclid',
      }),
    },
  }))
  return request({ at: START + 6 * HOUR, project: `proj_${number % 2}`, seq: number * 1_000, events })
}

test('a merged segment has the events and the rollups that one compaction of all its epochs writes', async () => {
  const { compact, mergeSegments, writeHot, readSegment } = await openCompactorLake()
  const segments: Segment[] = []
  for (let epoch = 1; epoch <= 3; epoch++) {
    for (const file of [0, 1]) await writeHot(epoch, [browsing(epoch * 2 + file)])
    segments.push((await compact(epoch)) as Segment)
  }
  for (let number = 2; number <= 7; number++) await writeHot(9, [browsing(number)])
  const whole = (await compact(9)) as Segment
  const merged = await mergeSegments({ bucket: 7, segments, older: [], target: target(1, 4) })

  expect(merged).toEqual({ ...whole, ...target(1, 4), bytes: merged.bytes })
  expect(merged.rows).toBe(180)
  for (const table of ['segment_events', ...ROLLUPS, 'segment_event_ids'] as const) {
    expect(withoutSeqs(await readSegment(table, merged))).toEqual(
      withoutSeqs(await readSegment(table, whole)),
    )
  }
})

test('a segment of a version that did not know where sessions came from is merged to one that does', async () => {
  const isOld = (key: string) => key.startsWith('segments/sessions') && key.includes('/1-2-')
  const lake = await openCompactorLake({}, of => lakeWithOldFiles(of, SOURCE_COLUMNS, isOld))
  const { compact, compactor, mergeSegments, writeHot, readSegment } = lake
  const segments: Segment[] = []
  for (const epoch of [1, 2]) {
    await writeHot(epoch, [browsing(epoch)])
    segments.push((await compact(epoch)) as Segment)
    await writeHot(9, [browsing(epoch)])
  }
  const [old, known] = await Promise.all(segments.map(segment => compactor.describeSegment(7, segment)))
  expect([old?.knowsSources, known?.knowsSources]).toEqual([false, true])
  const whole = (await compact(9)) as Segment
  const inputs = [old, known] as Segment[]
  const merged = await mergeSegments({ bucket: 7, segments: inputs, older: [], target: target(1, 3) })
  expect(merged.knowsSources).toBe(true)
  const rows = await readSegment('segment_sessions', merged)
  expect(withoutSeqs(rows)).toEqual(withoutSeqs(await readSegment('segment_sessions', whole)))
  expect(new Set(rows.map(row => row.entry_utm_source))).toEqual(new Set([null, 's1', 's2']))
})

test('merged segments that are merged again give the rollups of one merge', async () => {
  const { compact, mergeSegments, writeHot, readSegment } = await openCompactorLake()
  const segments: Segment[] = []
  for (let epoch = 1; epoch <= 4; epoch++) {
    await writeHot(epoch, [browsing(epoch)])
    segments.push((await compact(epoch)) as Segment)
  }
  const merge = (inputs: Segment[], from: number, until: number) =>
    mergeSegments({ bucket: 7, segments: inputs, older: [], target: target(from, until) })
  const once = await merge(segments, 1, 6)
  const twice = await merge(
    [await merge(segments.slice(0, 2), 1, 3), await merge(segments.slice(2), 3, 5)],
    1,
    5,
  )
  for (const table of ROLLUPS) {
    expect(await readSegment(table, twice)).toEqual(await readSegment(table, once))
  }
})

test('of two users of a session in one millisecond and second of arrival, the events of one segment choose by seq, and a merge by their keys', async () => {
  const { compact, mergeSegments, writeHot, readSegment } = await openCompactorLake()
  const users = ['u1', 'u2', 'u3', 'u4']
  const segments: Segment[] = []
  for (const [i, user_id] of users.entries()) {
    await writeHot(i + 1, [request({ seq: (i + 1) * 10, events: [{ user_id, session_id: 's' }] })])
    segments.push((await compact(i + 1)) as Segment)
  }
  const keys = []
  for (const segment of segments) {
    const [row] = await readSegment('segment_sessions', segment)
    keys.push(row?.user_key as bigint)
  }
  const merged = await mergeSegments({ bucket: 7, segments, older: [], target: target(1, 5) })
  const greatest = keys.reduce((a, b) => (a > b ? a : b))
  expect(await readSegment('segment_sessions', merged)).toMatchObject([{ user_key: greatest }])
})

test('a merged segment keeps event_ids for 30 hours, also those from before a jump of the clock, and those that the service made for 2 hours', async () => {
  const { compact, mergeSegments, writeHot, readSegment } = await openCompactorLake()
  const segments: Segment[] = []
  const at = START + 30 * HOUR
  const steps = [5, 10, 15, 20, 25].map(hours => START + hours * HOUR)
  const arrivals = [START - 1_000, START, ...steps, at - 2 * HOUR - 1_000, at - 2 * HOUR, at]
  for (const [i, arrival] of arrivals.entries()) {
    await writeHot(i + 1, [request({ at: arrival, events: [{ event_id: `e${i}` }, {}] })])
    segments.push((await compact(i + 1)) as Segment)
  }
  const keysOf = async (merged: Segment) =>
    (await readSegment('segment_event_ids', merged)).map(row => row.event_key as bigint)
  const idsOf = (numbers: readonly number[]) =>
    numbers.map(i => eventKey('proj_1', `e${i}`) as bigint).toSorted((a, b) => (a < b ? -1 : 1))
  const last = arrivals.length + 1
  const merged = await mergeSegments({ bucket: 7, segments, older: [], target: target(1, last) })
  const keys = await keysOf(merged)
  expect(keys.filter(key => key >= 0)).toEqual(idsOf([1, 2, 3, 4, 5, 6, 7, 8, 9]))
  expect(keys.filter(key => key < 0)).toHaveLength(2)
  expect(merged.eventIds).toBe(11)

  // A clock that is a year ahead, and goes on.
  const ahead = at + 365 * 24 * HOUR
  for (const [i, arrival] of [ahead, ahead + 3 * HOUR].entries()) {
    await writeHot(last + i, [request({ at: arrival, events: [{ event_id: `e${last - 1 + i}` }] })])
    segments.push((await compact(last + i)) as Segment)
  }
  const all = await mergeSegments({ bucket: 7, segments, older: [], target: target(1, last + 2) })
  expect((await keysOf(all)).filter(key => key >= 0)).toEqual(idsOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]))
})

test('the parts of segments are merged into one file of each table', async () => {
  const { compact, mergeSegments, writeHot, readSegment, keys } = await openCompactorLake({ sliceBytes: 1 })
  for (const number of [1, 2, 3]) await writeHot(1, [browsing(number)])
  await writeHot(2, [browsing(4)])
  const segments = [(await compact(1)) as Segment, (await compact(2)) as Segment]
  expect(segments.map(({ parts }) => parts)).toEqual([3, 1])
  const merged = await mergeSegments({ bucket: 7, segments, older: [], target: target(1, 3) })
  expect(merged).toMatchObject({ parts: 1, rows: 120 })
  expect(await keys('segments/events/bucket=7/1-3-')).toEqual([segmentKey('segment_events', 7, merged, 0)])
  expect(await readSegment('segment_events', merged)).toHaveLength(120)
  const sessions = await readSegment('segment_sessions', merged)
  expect(new Set(sessions.map(row => `${row.project_id} ${row.date} ${row.session_key}`)).size).toBe(
    sessions.length,
  )
})

test('a merge that runs again writes the same rows', async () => {
  const { compact, mergeSegments, writeHot, readSegment } = await openCompactorLake()
  for (const epoch of [1, 2]) await writeHot(epoch, [browsing(epoch)])
  const segments = [(await compact(1)) as Segment, (await compact(2)) as Segment]
  const merge = async () => {
    const merged = await mergeSegments({ bucket: 7, segments, older: [], target: target(1, 3) })
    return { merged, rows: await readSegment('segment_events', merged) }
  }
  const first = await merge()
  const second = await merge()
  expect(second).toEqual(first)
})

test('a large merged segment has larger row groups and the slow level, and one of wide events small groups and the fast level', async () => {
  const { compact, mergeSegments, writeHot } = await openCompactorLake()
  await writeHot(1, [request({ events: [{ session_id: 's' }, {}] })])
  const small = (await compact(1)) as Segment
  const run = vi.spyOn(DuckDBConnection.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  /** The level and the rows of a group that DuckDB is told for the sessions, the ids and the events. */
  const layoutOf = async (segment: Segment) => {
    run.mockClear()
    await mergeSegments({ bucket: 7, segments: [segment], older: [], target: target(1, 3) })
    const layouts = run.mock.calls.map(([text]) =>
      /COMPRESSION_LEVEL (\d+).*, ROW_GROUP_SIZE (\d+)/.exec(text)?.slice(1).map(Number),
    )
    return layouts.filter(layout => layout !== undefined)
  }
  const bytes = 4 * 1024 * 1024
  expect(await layoutOf(small)).toEqual([
    [3, 61_440],
    [3, 61_440],
    [3, 61_440],
  ])
  expect(await layoutOf({ ...small, bytes, rows: 200_000 })).toEqual([
    [19, 122_880],
    [19, 122_880],
    [19, 368_640],
  ])
  expect(await layoutOf({ ...small, bytes, rows: 1_000 })).toEqual([
    [1, 122_880],
    [1, 122_880],
    [1, 4_096],
  ])
})

test('the events of an epoch whose properties are wide are compressed at the fast level, those of other buckets are not', async () => {
  const { compact, writeHot, readSegment } = await openCompactorLake()
  const wide = { text: 'x'.repeat(1_000) }
  await writeHot(1, [
    request({ bucket: 7, events: [{ properties: wide }, { properties: wide }] }),
    request({ bucket: 8, events: [{ properties: wide }, {}] }),
  ])
  const run = vi.spyOn(DuckDBConnection.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  const levels: unknown[] = []
  for (const bucket of [7, 8]) {
    run.mockClear()
    const segment = await compact(1, { bucket })
    expect(await readSegment('segment_events', segment, bucket)).toHaveLength(2)
    const events = run.mock.calls.find(([text]) => text.includes('event_rows LEFT JOIN session_starts'))
    levels.push(/COMPRESSION_LEVEL (\d+)/.exec(String(events))?.[1])
  }
  expect(levels).toEqual(['1', '3'])
})

test.each([
  [64, 2],
  [128, 1],
])('with %d MB of memory an epoch of 6 MB is compacted in %d slices', async (memoryMb, parts) => {
  const { compactor, writeHot } = await openCompactorLake({ memoryMb })
  const hot = []
  for (const _ of [1, 2]) hot.push({ ...(await writeHot(1, [request({})])), size: 3 * 1024 * 1024 })
  const job = { epoch: 1, hot, buckets: [{ bucket: 7, eventIds: [], ...NOTHING_BEFORE }] }
  expect(await compactor.compactEpoch(job)).toMatchObject([{ segment: { parts } }])
})

test('a segment without ids to know has no file of them, and is merged and described like others', async () => {
  const { compactor, compact, mergeSegments, writeHot, keys, lake } = await openCompactorLake()
  await writeHot(1, [request({ events: [{ event_id: 'e' }] })])
  await writeHot(2, [request({ at: START + 48 * HOUR })])
  const [first, second] = [(await compact(1)) as Segment, (await compact(2)) as Segment]
  // Rows that are older than the horizon may be deleted.
  await lake.delete([
    segmentKey('segment_event_ids', 7, first, 0),
    segmentKey('segment_event_ids', 7, second, 0),
  ])
  const segments = [first, second].map(segment => ({ ...segment, eventIds: 0 }))
  const merged = await mergeSegments({ bucket: 7, segments, older: [], target: target(1, 3) })
  expect(merged).toMatchObject({ rows: 2, eventIds: 0 })
  expect(await keys('segments/event-ids/')).toEqual([])
  expect(await compactor.describeSegment(7, { ...target(1, 3), parts: 1 })).toEqual(merged)
})

test('a segment is described from its files as when it was written', async () => {
  const { compactor, compact, writeHot } = await openCompactorLake({ sliceBytes: 1 })
  for (const number of [1, 2]) await writeHot(1, [browsing(number)])
  const segment = (await compact(1)) as Segment
  expect(await compactor.describeSegment(7, { ...target(1, 2), parts: 2 })).toEqual(segment)
})

test('a missing file of any table stops a merge with an error that names it', async () => {
  const { compact, mergeSegments, writeHot, lake, keys } = await openCompactorLake()
  for (const epoch of [1, 2]) await writeHot(epoch, [browsing(epoch)])
  const segments = [(await compact(1)) as Segment, (await compact(2)) as Segment]
  for (const key of SEGMENT_TABLES.map(table => segmentKey(table, 7, segments[1] as Segment, 0))) {
    const bytes = (await lake.get(key)) as Uint8Array
    await lake.delete([key])
    const before = await keys('segments/')
    const merge = mergeSegments({ bucket: 7, segments, older: [], target: target(1, 3) })
    await expect(merge).rejects.toMatchObject({ name: 'DamagedObject', key })
    expect(await keys('segments/')).toEqual(before)
    await lake.put(key, bytes)
  }
})

test('a segment with a missing or damaged file cannot be described, and the error names the file', async () => {
  const { compactor, compact, writeHot, lake } = await openCompactorLake()
  await writeHot(1, [browsing(1)])
  const segment = (await compact(1)) as Segment
  const [sessions = ''] = segmentKeys('segment_sessions', 7, segment)
  await lake.delete([sessions])
  await expect(compactor.describeSegment(7, segment)).rejects.toMatchObject({ key: sessions })
  const [events = ''] = segmentKeys('segment_events', 7, segment)
  await lake.put(events, new Uint8Array(10))
  await lake.put(sessions, new Uint8Array(10))
  await expect(compactor.describeSegment(7, segment)).rejects.toMatchObject({ key: events })
})

test('a compaction that is cut off throws soon, writes no segment, and succeeds when it runs again', async () => {
  const cuttingOff = new AbortController()
  const abortOnRead = (folder: Lake): Lake => ({
    ...folder,
    get(key) {
      cuttingOff.abort()
      return folder.get(key)
    },
  })
  const cutOff = await openCompactorLake({ signal: cuttingOff.signal }, abortOnRead)
  await cutOff.writeHot(1, [request({})])
  await expect(cutOff.compact(1)).rejects.toThrow('aborted')
  expect(await cutOff.keys('segments/')).toEqual([])
  const again = createCompactor({ lake: cutOff.lake, tempDir: cutOff.tempDir, log: () => {} })
  const hot = await cutOff.lake.list('hot/')
  const buckets = [{ bucket: 7, eventIds: [], ...NOTHING_BEFORE }]
  expect(await again.compactEpoch({ epoch: 1, hot, buckets })).toMatchObject([{ segment: { rows: 1 } }])
})
