import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { activity, events, type LakeRead, sessions } from '#core/lake/relations'
import { sql } from '#core/sql'
import { createFolderLake } from '#local/lake/folder'
import { openQueryEngine } from '#local/lake/query-engine'
import { buildLake, type EventsRecord } from '#test/support/build-lake'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MIDNIGHT = Date.parse('2026-11-18T00:00:00Z')
const project = { id: 'proj_1', bucket: 7, created_at: '2026-06-01T00:00:00Z', has_event_ids: true }

let seq = 0

type EventChanges = Partial<EventsRecord['events'][number]> & { arrived?: number; project_id?: string }

/** A request with one event. It arrives at the event's timestamp, unless `arrived` is another time. */
function request({ arrived, project_id = 'proj_1', ...event }: EventChanges): EventsRecord {
  const timestamp = event.timestamp ?? MIDNIGHT + HOUR
  return {
    kind: 'events',
    project_id,
    account_id: 'acc_1',
    bucket: 7,
    received_at: arrived ?? timestamp,
    seq: seq++,
    country: null,
    events: [
      {
        event: 'page_view',
        properties: null,
        user_id: null,
        session_id: null,
        event_id: null,
        ...event,
        timestamp,
      },
    ],
  }
}

async function setUp(epochs: EventsRecord[][][], { warm = 1, coldEnds = [] as number[] } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-relations-'))
  const lakeDir = join(dir, 'lake')
  const snapshot = await buildLake({
    lake: createFolderLake(lakeDir),
    tempDir: join(dir, 'temp'),
    epochs,
    warm,
    coldEnds,
  })
  const engine = await openQueryEngine({ lakeDir, log: () => {}, threads: 1 })
  onTestFinished(async () => {
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  })
  const read: LakeRead = { snapshot, project, from: MIDNIGHT, to: MIDNIGHT + 2 * DAY }
  return { engine, read }
}

const namesSql = (read: LakeRead) =>
  sql`SELECT event FROM ${events(read, ['event', 'seq'])} AS each_event ORDER BY seq`

test('a read returns the cold, warm and hot events of its project only', async () => {
  const { engine, read } = await setUp(
    [
      [[request({ event: 'cold' }), request({ event: 'of another project', project_id: 'proj_2' })]],
      [[request({ event: 'warm' })]],
      [[request({ event: 'hot' })]],
    ],
    { warm: 3, coldEnds: [2] },
  )
  expect(await engine.rows(namesSql(read))).toEqual([{ event: 'cold' }, { event: 'warm' }, { event: 'hot' }])
})

test('a compacted file is not read before its watermark has moved', async () => {
  const { engine, read } = await setUp([[[request({ event: 'a' })]], [[request({ event: 'b' })]]], {
    warm: 3,
    coldEnds: [2, 3],
  })
  for (const [warm, cold] of [
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 1],
    [3, 2],
    [3, 3],
  ] as const) {
    const rows = await engine.rows(namesSql({ ...read, snapshot: { epoch: 3, warm, cold } }))
    expect(rows).toEqual([{ event: 'a' }, { event: 'b' }])
  }
})

test.each([
  ['cold', { warm: 2, coldEnds: [2] }],
  ['warm', { warm: 2 }],
  ['hot', {}],
])('the bounds of a range are exact to the millisecond in %s', async (_, compaction) => {
  const timestamps = [MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + 90_000, MIDNIGHT + DAY - 1, MIDNIGHT + DAY]
  const { engine, read } = await setUp(
    [[timestamps.map((timestamp, i) => request({ event: String(i), timestamp }))]],
    compaction,
  )
  const namesBetween = async (from: number, to: number) =>
    (await engine.rows(namesSql({ ...read, from, to }))).map(row => row.event)
  expect(await namesBetween(MIDNIGHT, MIDNIGHT + DAY)).toEqual(['1', '2', '3'])
  expect(await namesBetween(MIDNIGHT + 1, MIDNIGHT + DAY + 1)).toEqual(['2', '3', '4'])
  expect(await namesBetween(MIDNIGHT + 90_000, MIDNIGHT + 90_001)).toEqual(['2'])
})

test('of hot copies only the first to arrive is read, even if only a later copy is in the range', async () => {
  const copy = (event: string, arrived: number, timestamp: number) =>
    request({ event, arrived, timestamp, event_id: 'e' })
  const { engine, read } = await setUp([
    [[copy('late', MIDNIGHT + 2 * HOUR, MIDNIGHT + HOUR), copy('first', MIDNIGHT + HOUR, MIDNIGHT - HOUR)]],
    [[copy('next epoch', MIDNIGHT, MIDNIGHT)]],
  ])
  expect(await engine.rows(namesSql(read))).toEqual([])
  expect(await engine.rows(namesSql({ ...read, from: MIDNIGHT - DAY }))).toEqual([{ event: 'first' }])
})

test('a hot copy of a warm event is left out for 24 hours, but not if the projects differ', async () => {
  const copy = (event: string, arrived: number, project_id?: string) =>
    request({ event, arrived, event_id: 'e', ...(project_id ? { project_id } : {}) })
  const { engine, read } = await setUp(
    [
      [[copy('first', MIDNIGHT), copy('of another project', MIDNIGHT, 'proj_2')]],
      [[copy('within', MIDNIGHT + DAY), copy('after', MIDNIGHT + DAY + 1_000 + DAY)]],
    ],
    { warm: 2 },
  )
  expect(await engine.rows(namesSql(read))).toEqual([{ event: 'first' }, { event: 'after' }])
})

test('each table is read once if the project sends no event_ids', async () => {
  const { engine, read } = await setUp([[[request({ event: 'warm' })]], [[request({ event: 'hot' })]]], {
    warm: 2,
  })
  const readWithoutIds = { ...read, project: { ...project, has_event_ids: false } }
  const scans = namesSql(readWithoutIds).scans?.map(({ table }) => table)
  expect(scans).toEqual(['events_warm', 'events_hot'])
  expect(await engine.rows(namesSql(readWithoutIds))).toEqual(await engine.rows(namesSql(read)))
})

const sessionsSql = (read: LakeRead) => sql`SELECT event_count, is_bounce,
    date_diff('millisecond', start_at, end_at) AS duration
  FROM ${sessions(read)} AS session ORDER BY event_count, duration`

test.each([
  ['all cold', { warm: 4, coldEnds: [2, 3, 4] }],
  ['cold, warm and hot', { warm: 3, coldEnds: [2] }],
  ['all hot', {}],
])('the fragments of a session are read as one session: %s', async (_, compaction) => {
  const ofSession = (timestamp: number, event = 'page_view') => request({ timestamp, event, session_id: 's' })
  const { engine, read } = await setUp(
    [
      [[ofSession(MIDNIGHT + 23 * HOUR)]],
      [[ofSession(MIDNIGHT + 25 * HOUR, 'signup')]],
      [[ofSession(MIDNIGHT + 22 * HOUR)]],
    ],
    compaction,
  )
  expect(await engine.rows(sessionsSql(read))).toEqual([{ event_count: 3, is_bounce: 0, duration: 3 * HOUR }])
})

test.each([
  ['cold', { warm: 3, coldEnds: [2, 3] }],
  ['cold, with hot events in the range', { warm: 2, coldEnds: [2] }],
  ['warm', { warm: 3 }],
  ['hot', {}],
])('a session that started a month before the range is not in it: %s', async (_, compaction) => {
  const ofSession = (timestamp: number, session_id: string) => request({ timestamp, session_id })
  const { engine, read } = await setUp(
    [
      [[ofSession(MIDNIGHT - 30 * DAY, 'old'), ofSession(MIDNIGHT - 1, 'just before')]],
      [[ofSession(MIDNIGHT + HOUR, 'old'), ofSession(MIDNIGHT, 'just before'), ofSession(MIDNIGHT, 'new')]],
    ],
    compaction,
  )
  expect(await engine.rows(sessionsSql(read))).toHaveLength(1)
  expect(await engine.rows(sessionsSql({ ...read, from: MIDNIGHT - DAY }))).toHaveLength(2)
  expect(await engine.rows(sessionsSql({ ...read, from: MIDNIGHT - 1 }))).toHaveLength(2)
  expect(await engine.rows(sessionsSql({ ...read, from: MIDNIGHT - 31 * DAY }))).toHaveLength(3)
})

test.each([
  ['cold', { warm: 3, coldEnds: [2, 3] }],
  ['warm', { warm: 3 }],
  ['hot', {}],
])(
  'a session_id that returns after 35 days without an event starts a new session: %s',
  async (_, compaction) => {
    const ofSession = (timestamp: number, session_id: string) => request({ timestamp, session_id })
    const { engine, read } = await setUp(
      [
        [[ofSession(MIDNIGHT - 35 * DAY, 'paused'), ofSession(MIDNIGHT - 35 * DAY - 1, 'over')]],
        [[ofSession(MIDNIGHT + HOUR, 'paused'), ofSession(MIDNIGHT + HOUR, 'over')]],
      ],
      compaction,
    )
    expect(await engine.rows(sessionsSql(read))).toEqual([{ event_count: 1, is_bounce: 1, duration: 0 }])
  },
)

test.each([
  ['cold', { warm: 4, coldEnds: [2, 3, 4] }],
  ['hot', {}],
])(
  'the user of a session is the last one by timestamp, arrival and order in the request: %s',
  async (_, compaction) => {
    const at = MIDNIGHT + HOUR
    const ofUser = (user_id: string | null, timestamp: number, arrived: number, session_id = 's') =>
      request({ user_id, timestamp, arrived, session_id })
    const { engine, read } = await setUp(
      [
        [[ofUser('u1', at, at + 5000)]],
        [[ofUser('u2', at, at + 6500), ofUser('u3', at, at + 6500), ofUser('u4', at - 1, at + 7000)]],
        [[ofUser(null, at + 1, at + 8000), ofUser('u3', at, at + 9000, 'other')]],
      ],
      compaction,
    )
    const users = sql`SELECT count(DISTINCT user_key) AS users, count(*) AS sessions FROM ${sessions(read)} AS session`
    expect(await engine.rows(users)).toEqual([{ users: 1, sessions: 2 }])
  },
)

test('activity counts the same users in the rollup, in warm and hot events, and from a time within a day', async () => {
  const ofUser = (user_id: string | null, timestamp: number) => request({ user_id, timestamp })
  const { engine, read } = await setUp(
    [
      [[ofUser('u1', MIDNIGHT + HOUR), ofUser('u2', MIDNIGHT + HOUR), ofUser(null, MIDNIGHT + HOUR)]],
      [[ofUser('u1', MIDNIGHT + 2 * HOUR)]],
      [[ofUser('u2', MIDNIGHT + 3 * HOUR), ofUser('u3', MIDNIGHT - HOUR)]],
    ],
    { warm: 3, coldEnds: [2] },
  )
  const totalsSql = (read: LakeRead) => sql`SELECT CAST(sum(event_count) AS bigint) AS events,
    count(DISTINCT user_ref) AS users FROM ${activity(read)} AS activity`
  expect(await engine.rows(totalsSql(read))).toEqual([{ events: 5, users: 2 }])
  expect(await engine.rows(totalsSql({ ...read, from: MIDNIGHT - 2 * HOUR }))).toEqual([
    { events: 6, users: 3 },
  ])
  expect(await engine.rows(totalsSql({ ...read, from: MIDNIGHT + HOUR + 1 }))).toEqual([
    { events: 2, users: 2 },
  ])
})

test('a field that no event has does not compile', async () => {
  const { engine, read } = await setUp([])
  // @ts-expect-error: the name is not in schemas/columns.ts.
  const relation = events(read, ['evnt'])
  await expect(engine.rows(sql`SELECT 1 AS one FROM ${relation} AS each_event`)).rejects.toThrow()
})
