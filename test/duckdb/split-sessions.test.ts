import { expect, test } from 'vitest'
import { shortKey } from '#core/lake/consume/id-keys'
import { segmentKey } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import { sessions } from '#core/lake/read/relations'
import { DAY_MS, midnight } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { openCompactorLake, request, START } from '#test/support/compactor-lake'
import { EMPTY_SNAPSHOT } from '#test/support/fixed-lake'

type CompactorLake = Awaited<ReturnType<typeof openCompactorLake>>

const target = (from: number, until: number) => ({ from, until, generation: 0 })

/** Compacts an epoch whose events are of these sessions, all on one UTC date. */
async function compactSessions(
  { writeHot, compact }: CompactorLake,
  epoch: number,
  sessions: readonly string[],
  options: Parameters<CompactorLake['compact']>[1] = {},
): Promise<Segment> {
  await writeHot(epoch, [request({ events: sessions.map(session_id => ({ session_id })) })])
  return (await compact(epoch, options)) as Segment
}

/** may_be_split of the sessions of a segment, in the order of the names. */
async function splitOf({ readSegment }: CompactorLake, segment: Segment, sessions: readonly string[]) {
  const rows = await readSegment('segment_sessions', segment)
  return sessions.map(
    session => rows.find(row => row.session_key === BigInt(shortKey(session) ?? -1))?.may_be_split,
  )
}

test('a session that an older segment has may be split, and one that only this segment has is not', async () => {
  const lake = await openCompactorLake()
  const first = await compactSessions(lake, 1, ['a', 'b'])
  const second = await compactSessions(lake, 2, ['b', 'c'], { older: [first] })
  expect([first.knowsSplit, second.knowsSplit]).toEqual([true, true])
  expect(await splitOf(lake, first, ['a', 'b'])).toEqual([0n, 0n])
  expect(await splitOf(lake, second, ['b', 'c'])).toEqual([1n, 0n])
})

test('a session is found in any of many older segments, and makes one row', async () => {
  const lake = await openCompactorLake()
  // Most of the older segments are copies, because a compaction takes a fifth of a second.
  const copied = await compactSessions(lake, 2, ['of all'])
  const bytes = (await lake.lake.get(segmentKey('segment_sessions', 7, copied, 0))) as Uint8Array
  const older: Segment[] = []
  for (let epoch = 1; epoch <= 35; epoch++) {
    const copy = { ...copied, ...target(epoch, epoch + 1) }
    const isOwn = [1, 17, 35].includes(epoch)
    if (!isOwn) await lake.lake.put(segmentKey('segment_sessions', 7, copy, 0), bytes)
    older.push(isOwn ? await compactSessions(lake, epoch, ['of all', `of ${epoch}`]) : copy)
  }
  const sessions = ['of all', 'of 1', 'of 17', 'of 35', 'new']
  const segment = await compactSessions(lake, 36, sessions, { older })
  expect(await splitOf(lake, segment, sessions)).toEqual([1n, 1n, 1n, 1n, 0n])
  expect(await lake.readSegment('segment_sessions', segment)).toHaveLength(sessions.length)
})

test('a session with events on two dates of one segment may be split in both rows', async () => {
  const lake = await openCompactorLake()
  const timestamps = [START, START + DAY_MS]
  await lake.writeHot(1, [
    request({ at: START + DAY_MS, events: timestamps.map(timestamp => ({ timestamp })) }),
  ])
  const rows = await lake.readSegment('segment_sessions', await lake.compact(1))
  expect(rows.map(({ may_be_split }) => may_be_split)).toEqual([1n, 1n])
})

test('a merge joins the rows of a date, so a session that only its segments have is no longer split', async () => {
  const lake = await openCompactorLake()
  const first = await compactSessions(lake, 1, ['a'])
  const second = await compactSessions(lake, 2, ['b'], { older: [first] })
  const third = await compactSessions(lake, 3, ['a', 'b'], { older: [first, second] })
  expect(await splitOf(lake, third, ['a', 'b'])).toEqual([1n, 1n])
  const merge = async (segments: Segment[], from: number, older: Segment[]) => {
    const merged = await lake.mergeSegments({ bucket: 7, segments, older, target: target(from, 4) })
    return splitOf(lake, merged, ['a', 'b'])
  }
  expect(await merge([second, third], 2, [first])).toEqual([1n, 0n])
  expect(await merge([first, second, third], 1, [])).toEqual([0n, 0n])
})

test('a segment that is small beside the older ones is not compared with them', async () => {
  const lake = await openCompactorLake()
  const first = await compactSessions(lake, 1, ['a'])
  for (const [epoch, rows, known] of [
    [2, 512, [true, 1n]],
    [3, 513, [false, null]],
  ] as const) {
    const segment = await compactSessions(lake, epoch, ['a'], { older: [{ ...first, rows }] })
    expect([segment.knowsSplit, ...(await splitOf(lake, segment, ['a']))]).toEqual(known)
  }
})

test('a segment is not compared with those that end 100 days before it, and reads of longer ranges do not use what it knows', async () => {
  const lake = await openCompactorLake()
  const first = await compactSessions(lake, 1, ['a'])
  const endedAt = (days: number) => ({ ...first, rows: 1_000_000, lastAt: first.firstAt - days * DAY_MS })
  for (const [epoch, days, known] of [
    [2, 101, [true, 0n]],
    [3, 99, [false, null]],
  ] as const) {
    const segment = await compactSessions(lake, epoch, ['a'], { older: [endedAt(days)] })
    expect([segment.knowsSplit, ...(await splitOf(lake, segment, ['a']))]).toEqual(known)
  }
  const project = { id: 'proj_1', bucket: 7, created_at: '2026-01-01T00:00:00Z', has_event_ids: false }
  const snapshot = { ...EMPTY_SNAPSHOT, segments: [{ ...first, knowsSplit: true }] }
  const to = midnight(first.lastAt) + DAY_MS
  // The range ends now: one of the past has two days more for the ends of its sessions.
  const now = to - EVENT_LIMITS.futureMs - 1
  const usesSplit = (days: number) =>
    sessions({ snapshot, project, now, from: to - days * DAY_MS, to }, ['event_count']).text.includes(
      'may_be_split',
    )
  expect([usesSplit(100), usesSplit(101)]).toEqual([true, false])
})

test('a segment of fewer events than the setting says is not compared', async () => {
  const lake = await openCompactorLake({ minComparedEvents: 2 })
  const segment = await compactSessions(lake, 1, ['a'])
  expect([segment.knowsSplit, ...(await splitOf(lake, segment, ['a']))]).toEqual([false, null])
})

test('the parts of an epoch that is too large for one file are not compared', async () => {
  const lake = await openCompactorLake({ sliceBytes: 1 })
  await lake.writeHot(1, [request({ events: [{ session_id: 'a' }] })])
  const segment = await compactSessions(lake, 1, ['a'])
  expect(segment).toMatchObject({ parts: 2, knowsSplit: false })
})

test.each(['deleted', 'cut off'])(
  'an older segment whose file is %s stops neither compaction nor merge',
  async damage => {
    const lake = await openCompactorLake()
    const first = await compactSessions(lake, 1, ['a'])
    const second = await compactSessions(lake, 2, ['b'], { older: [first] })
    const key = segmentKey('segment_sessions', 7, first, 0)
    const bytes = (await lake.lake.get(key)) as Uint8Array
    if (damage === 'deleted') await lake.lake.delete([key])
    else await lake.lake.put(key, bytes.subarray(0, bytes.length / 2))
    const third = await compactSessions(lake, 3, ['a'], { older: [first, second] })
    const job = { bucket: 7, segments: [second, third], older: [first], target: target(2, 4) }
    const merged = await lake.mergeSegments(job)
    for (const segment of [third, merged])
      expect([segment.knowsSplit, ...(await splitOf(lake, segment, ['a']))]).toEqual([false, null])
    expect(lake.logged).toEqual(['LAKE_OBJECT_DAMAGED', 'LAKE_OBJECT_DAMAGED'])
  },
)

test('a segment is described as its rows are', async () => {
  const lake = await openCompactorLake()
  const segment = await compactSessions(lake, 1, ['a', 'b'])
  expect(await lake.compactor.describeSegment(7, segment)).toEqual(segment)
})
