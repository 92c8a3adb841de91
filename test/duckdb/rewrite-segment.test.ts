import { expect, test } from 'vitest'
import { eventKey, shortKey } from '#core/lake/consume/id-keys'
import { userHash } from '#core/lake/erase/tombstones'
import type { RewriteJob } from '#core/lake/model/compactor'
import { segmentKey } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import type { ErasedEvents, TombstoneBatch } from '#core/lake/model/tombstone-batch'
import { writeBatch } from '#test/support/add-erasure'
import { HOUR, openCompactorLake, request, START, withoutSeqs } from '#test/support/compactor-lake'

type CompactorLake = Awaited<ReturnType<typeof openCompactorLake>>

const SECOND = START / 1_000

function tombstone(lake: CompactorLake, changes: Partial<ErasedEvents> & { number?: number } = {}) {
  return writeBatch(lake.lake, { project_id: 'proj_1', users: [userHash('ada')], until: START, ...changes })
}

async function rewriteJob(segment: Segment, ...batches: Promise<TombstoneBatch>[]): Promise<RewriteJob> {
  const tombstones = await Promise.all(batches)
  return { bucket: 7, segment, generation: Math.max(...tombstones.map(({ number }) => number)), tombstones }
}

/** Events of ada and bob in one session, of ada in another project, and of nobody. */
const mixed = [
  request({
    events: [
      { user_id: 'ada', session_id: 's', event: 'a', event_id: 'e1' },
      { user_id: 'bob', session_id: 's', event: 'b', timestamp: START - HOUR },
      { user_id: null, session_id: 's', event: 'c' },
    ],
  }),
  request({ project: 'proj_2', events: [{ user_id: 'ada', event: 'd' }] }),
  request({ at: START + 1_000, events: [{ user_id: 'ada', session_id: 't', event: 'e' }] }),
]
/** The same without what the tombstone names. */
const left = [
  request({
    seq: 0,
    events: [
      { user_id: 'bob', session_id: 's', event: 'b', timestamp: START - HOUR },
      { user_id: null, session_id: 's', event: 'c' },
    ],
  }),
  ...mixed.slice(1),
]

test('a rewritten segment has the rows and rollups of a segment that never had the erased events', async () => {
  const lake = await openCompactorLake()
  await lake.writeHot(1, mixed)
  const segment = (await lake.compact(1)) as Segment
  const rewritten = await lake.compactor.rewriteSegment(await rewriteJob(segment, tombstone(lake)))
  expect(rewritten?.removed).toEqual([{ number: 1, events: 1 }])
  expect(rewritten?.segment).toMatchObject({ generation: 1, erased: 1, rows: 4, eventIds: segment.eventIds })

  await lake.writeHot(2, left)
  const never = (await lake.compact(2)) as Segment
  const result = rewritten?.segment ?? null
  const names = (rows: Record<string, unknown>[]) => rows.map(row => row.event).toSorted()
  expect(names(await lake.readSegment('segment_events', result))).toEqual(['b', 'c', 'd', 'e'])
  const withoutOrder = (rows: Record<string, unknown>[]) =>
    rows
      .map(row => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
      .toSorted()
  for (const table of ['segment_sessions', 'segment_activity'] as const) {
    expect(withoutOrder(withoutSeqs(await lake.readSegment(table, result)))).toEqual(
      withoutOrder(withoutSeqs(await lake.readSegment(table, never))),
    )
  }
})

test('compaction with a tombstone writes what a rewrite writes, and counts the erased events as received', async () => {
  const lake = await openCompactorLake()
  await lake.writeHot(1, mixed)
  const segment = (await lake.compact(1)) as Segment
  const rewritten = await lake.compactor.rewriteSegment(await rewriteJob(segment, tombstone(lake)))
  const before = await Promise.all(
    (['segment_events', 'segment_sessions', 'segment_activity', 'segment_event_ids'] as const).map(table =>
      lake.readSegment(table, rewritten?.segment ?? null),
    ),
  )
  const [result] = await lake.compactor.compactEpoch({
    epoch: 1,
    hot: await lake.lake.list('hot/epoch=1/'),
    buckets: [{ bucket: 7, eventIds: [], generation: 1, tombstones: [await tombstone(lake)], older: [] }],
  })
  if (result === undefined || 'failure' in result) throw result?.failure
  expect(result.removed).toEqual([{ number: 1, events: 1 }])
  expect(result.stored.reduce((sum, { events }) => sum + events, 0)).toBe(5)
  expect({ ...result.segment, bytes: 0 }).toEqual({ ...rewritten?.segment, bytes: 0 })
  const after = await Promise.all(
    (['segment_events', 'segment_sessions', 'segment_activity', 'segment_event_ids'] as const).map(table =>
      lake.readSegment(table, result.segment),
    ),
  )
  expect(after).toEqual(before)
})

test('the event_id of an erased event stays known, so that a retry of it is a copy', async () => {
  const lake = await openCompactorLake()
  await lake.writeHot(1, [request({ events: [{ user_id: 'ada', event_id: 'e1' }] })])
  const segment = (await lake.compact(1, { generation: 1, tombstones: [await tombstone(lake)] })) as Segment
  expect(segment).toMatchObject({ rows: 0, eventIds: 1 })
  const ids = await lake.readSegment('segment_event_ids', segment)
  expect(ids.map(row => row.event_key)).toEqual([eventKey('proj_1', 'e1')])
  await lake.writeHot(2, [request({ at: START + HOUR, events: [{ user_id: 'ada', event_id: 'e1' }] })])
  const eventIds = await lake.keys('segments/event-ids/')
  expect(await lake.compact(2, { eventIds, generation: 1, tombstones: [await tombstone(lake)] })).toBeNull()
})

test('a segment without events of the user is left as it is, also if a later event of the id is in it', async () => {
  const lake = await openCompactorLake()
  await lake.writeHot(1, [request({ at: START + 1_000, events: [{ user_id: 'ada' }, { user_id: 'bob' }] })])
  const segment = (await lake.compact(1)) as Segment
  const keys = await lake.keys('segments/')
  for (const changes of [{}, { users: [userHash('eve')] }, { project_id: 'proj_9', users: null }]) {
    expect(
      await lake.compactor.rewriteSegment(await rewriteJob(segment, tombstone(lake, changes))),
    ).toBeNull()
  }
  expect(await lake.keys('segments/')).toEqual(keys)
})

test('of a segment whose ids are no longer needed nothing is left when all its events are erased', async () => {
  const lake = await openCompactorLake()
  await lake.writeHot(1, mixed)
  const segment = { ...((await lake.compact(1)) as Segment), eventIds: 0 }
  const all = [
    tombstone(lake, { users: null, until: START + 9_000 }),
    tombstone(lake, { number: 2, project_id: 'proj_2', users: null }),
  ]
  expect(await lake.compactor.rewriteSegment(await rewriteJob(segment, ...all))).toEqual({
    segment: null,
    removed: [
      { number: 1, events: 4 },
      { number: 2, events: 1 },
    ],
    replaced: [],
  })
})

test('each part of a large epoch is rewritten, and segments that became empty can be merged', async () => {
  const lake = await openCompactorLake({ sliceBytes: 1 })
  for (const user_id of ['ada', 'bob', 'ada'])
    await lake.writeHot(1, [request({ events: [{ user_id }, {}] })])
  const segment = (await lake.compact(1)) as Segment
  const rewritten = await lake.compactor.rewriteSegment(await rewriteJob(segment, tombstone(lake)))
  expect(rewritten?.segment).toMatchObject({ parts: 3, rows: 4 })
  await lake.writeHot(2, [request({ events: [{ user_id: 'ada' }] })])
  const empty = (await lake.compact(2, { generation: 1, tombstones: [await tombstone(lake)] })) as Segment
  expect(empty.rows).toBe(0)
  const segments = [rewritten?.segment as Segment, empty]
  const target = { from: 1, until: 3, generation: 1 }
  const merged = await lake.mergeSegments({ bucket: 7, segments, target, older: [] })
  expect(merged).toMatchObject({ parts: 1, rows: 4, erased: 1, lastArrival: SECOND })
  const emptyOnly = await lake.mergeSegments({
    bucket: 7,
    segments: [empty, { ...empty, eventIds: 0 }],
    target: { from: 2, until: 9, generation: 1 },
    older: [],
  })
  expect(emptyOnly).toMatchObject({ rows: 0, firstAt: START, lastAt: START })
})

test.each([
  ['whole', { knowsSplit: true }, [1n, 0n]],
  ['deleted', { knowsSplit: false }, [null, null]],
  ['cut off', { knowsSplit: false }, [null, null]],
])(
  'an erasure also works if the file of the sessions is damaged, and else keeps which are split: %s',
  async (state, known, split) => {
    const lake = await openCompactorLake()
    await lake.writeHot(1, [request({ events: [{ session_id: 'a', user_id: 'bert' }] })])
    const older = [(await lake.compact(1)) as Segment]
    const events = ['a', 'b', 'b'].map((session_id, i) => ({ session_id, user_id: i < 2 ? 'bert' : 'ada' }))
    await lake.writeHot(2, [request({ events })])
    const segment = (await lake.compact(2, { older })) as Segment
    const key = segmentKey('segment_sessions', 7, segment, 0)
    const bytes = (await lake.lake.get(key)) as Uint8Array
    if (state === 'deleted') await lake.lake.delete([key])
    if (state === 'cut off') await lake.lake.put(key, bytes.subarray(0, bytes.length / 2))
    const rewritten = await lake.compactor.rewriteSegment(await rewriteJob(segment, tombstone(lake)))
    expect(rewritten?.segment).toMatchObject({ rows: 2, ...known })
    const rows = await lake.readSegment('segment_sessions', rewritten?.segment ?? null)
    const splitOf = (session: string) =>
      rows.find(row => row.session_key === BigInt(shortKey(session) ?? -1))?.may_be_split
    expect(['a', 'b'].map(splitOf)).toEqual(split)
  },
)

test('a segment is written anew without replaced events and their ids, which are counted by project and day', async () => {
  const lake = await openCompactorLake({ sliceBytes: 1 })
  const events = ['e1', 'e2', null].map((event_id, i) => ({
    event: `event ${i}`,
    event_id,
    user_id: `u${i}`,
  }))
  await lake.writeHot(1, [request({ events })])
  await lake.writeHot(1, [request({ events: [{ event: 'later', event_id: 'e3' }] })])
  const segment = (await lake.compact(1)) as Segment
  const key = String(eventKey('proj_1', 'e1'))
  const job = { bucket: 7, segment, generation: 1, tombstones: [] }
  // Another arrival is not this event, and an event of another segment changes nothing.
  for (const replaced of [[{ key, arrival: SECOND + 1 }], [{ key: '2', arrival: SECOND }], []])
    expect(await lake.compactor.rewriteSegment({ ...job, replaced })).toBeNull()
  const rewritten = await lake.compactor.rewriteSegment({ ...job, replaced: [{ key, arrival: SECOND }] })
  expect(rewritten?.replaced).toEqual([{ project_id: 'proj_1', day: '2026-11-18', events: 1 }])
  expect(rewritten?.removed).toEqual([])
  const left = rewritten?.segment as Segment
  expect([left.generation, left.rows, left.eventIds]).toEqual([1, 3, segment.eventIds - 1])
  const names = (await lake.readSegment('segment_events', left)).map(row => row.event)
  expect(names.toSorted()).toEqual(['event 1', 'event 2', 'later'])
  const ids = (await lake.readSegment('segment_event_ids', left)).map(row => String(row.event_key))
  expect(ids).not.toContain(key)
  expect(ids).toHaveLength(left.eventIds)
  const users = (await lake.readSegment('segment_activity', left)).map(row => Number(row.user_key))
  expect(users).not.toContain(shortKey('u0'))
})
