import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { activity, events, type LakeRead, sessions } from '#core/lake/relations'
import { sql } from '#core/sql'
import { createFolderLake } from '#local/lake/folder'
import { openQueryEngine } from '#local/lake/query-engine'
import { buildLake, type EventsRecord } from '#test/support/lake-builder'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MIDNIGHT = Date.parse('2026-11-18T00:00:00Z')
const project = { id: 'proj_1', bucket: 7, created_at: '2026-06-01T00:00:00Z', has_event_ids: true }

let seq = 0

type Given = Partial<EventsRecord['events'][number]> & { arrived?: number; project_id?: string }

/** One request of one event; `timestamp` is its arrival unless `arrived` says otherwise. */
function sent({ arrived, project_id = 'proj_1', ...event }: Given): EventsRecord {
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

async function setUp(epochs: EventsRecord[][][], { warm = 1, rolls = [] as number[] } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-relations-'))
  const lakeDir = join(dir, 'lake')
  const snapshot = await buildLake({
    lake: createFolderLake(lakeDir),
    tempDir: join(dir, 'temp'),
    epochs,
    warm,
    rolls,
  })
  const engine = await openQueryEngine({ lakeDir, log: () => {}, threads: 1 })
  onTestFinished(async () => {
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  })
  const read: LakeRead = { snapshot, project, from: MIDNIGHT, to: MIDNIGHT + 2 * DAY }
  return { engine, read }
}

const namesIn = (read: LakeRead) => sql`SELECT event FROM ${events(read, ['event', 'seq'])} AS e ORDER BY seq`

test('events come from cold, warm and hot, each by its epoch, and only the project’s', async () => {
  const { engine, read } = await setUp(
    [
      [[sent({ event: 'cold' }), sent({ event: 'foreign', project_id: 'proj_2' })]],
      [[sent({ event: 'warm' })]],
      [[sent({ event: 'hot' })]],
    ],
    { warm: 3, rolls: [2] },
  )
  expect(await engine.rows(namesIn(read))).toEqual([{ event: 'cold' }, { event: 'warm' }, { event: 'hot' }])
})

test('a file that was written before its watermark moved is not read', async () => {
  const { engine, read } = await setUp([[[sent({ event: 'a' })]], [[sent({ event: 'b' })]]], {
    warm: 3,
    rolls: [2, 3],
  })
  for (const [warm, cold] of [
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 1],
    [3, 2],
    [3, 3],
  ] as const) {
    const rows = await engine.rows(namesIn({ ...read, snapshot: { epoch: 3, warm, cold } }))
    expect(rows).toEqual([{ event: 'a' }, { event: 'b' }])
  }
})

test.each([
  ['cold', { warm: 2, rolls: [2] }],
  ['warm', { warm: 2 }],
  ['hot', {}],
])('the bounds of a range count to the millisecond in %s', async (_, where) => {
  const at = [MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + 90_000, MIDNIGHT + DAY - 1, MIDNIGHT + DAY]
  const { engine, read } = await setUp(
    [[at.map((timestamp, i) => sent({ event: String(i), timestamp }))]],
    where,
  )
  const between = async (from: number, to: number) =>
    (await engine.rows(namesIn({ ...read, from, to }))).map(row => row.event)
  expect(await between(MIDNIGHT, MIDNIGHT + DAY)).toEqual(['1', '2', '3'])
  expect(await between(MIDNIGHT + 1, MIDNIGHT + DAY + 1)).toEqual(['2', '3', '4'])
  expect(await between(MIDNIGHT + 90_000, MIDNIGHT + 90_001)).toEqual(['2'])
})

test('of hot copies of an event_id the first to arrive is read, also when only a later one lies in the range', async () => {
  const copy = (event: string, arrived: number, timestamp: number) =>
    sent({ event, arrived, timestamp, event_id: 'e' })
  const { engine, read } = await setUp([
    [[copy('late', MIDNIGHT + 2 * HOUR, MIDNIGHT + HOUR), copy('first', MIDNIGHT + HOUR, MIDNIGHT - HOUR)]],
    [[copy('next epoch', MIDNIGHT, MIDNIGHT)]],
  ])
  expect(await engine.rows(namesIn(read))).toEqual([])
  expect(await engine.rows(namesIn({ ...read, from: MIDNIGHT - DAY }))).toEqual([{ event: 'first' }])
})

test('a hot event whose event_id is warm is left out for 24 hours; another project’s is not', async () => {
  const copy = (event: string, arrived: number, project_id?: string) =>
    sent({ event, arrived, event_id: 'e', ...(project_id ? { project_id } : {}) })
  const { engine, read } = await setUp(
    [
      [[copy('first', MIDNIGHT), copy('foreign', MIDNIGHT, 'proj_2')]],
      [[copy('within', MIDNIGHT + DAY), copy('after', MIDNIGHT + DAY + 1_000 + DAY)]],
    ],
    { warm: 2 },
  )
  expect(await engine.rows(namesIn(read))).toEqual([{ event: 'first' }, { event: 'after' }])
})

test('each table is read once where the project sends no event_ids', async () => {
  const { engine, read } = await setUp([[[sent({ event: 'warm' })]], [[sent({ event: 'hot' })]]], { warm: 2 })
  const plain = { ...read, project: { ...project, has_event_ids: false } }
  const scans = namesIn(plain).scans?.map(({ table }) => table)
  expect(scans).toEqual(['events_warm', 'events_hot'])
  expect(await engine.rows(namesIn(plain))).toEqual(await engine.rows(namesIn(read)))
})

const sessionTotals = (read: LakeRead) => sql`SELECT event_count, is_bounce,
    date_diff('millisecond', start_at, end_at) AS duration
  FROM ${sessions(read)} AS session ORDER BY event_count, duration`

test.each([
  ['all cold', { warm: 4, rolls: [2, 3, 4] }],
  ['cold, warm and hot', { warm: 3, rolls: [2] }],
  ['all hot', {}],
])('a session’s fragments are one session, %s', async (_, where) => {
  const of = (timestamp: number, event = 'page_view') => sent({ timestamp, event, session_id: 's' })
  const { engine, read } = await setUp(
    [[[of(MIDNIGHT + 23 * HOUR)]], [[of(MIDNIGHT + 25 * HOUR, 'signup')]], [[of(MIDNIGHT + 22 * HOUR)]]],
    where,
  )
  expect(await engine.rows(sessionTotals(read))).toEqual([
    { event_count: 3, is_bounce: 0, duration: 3 * HOUR },
  ])
})

test.each([
  ['cold', { warm: 3, rolls: [2, 3] }],
  ['cold behind hot', { warm: 2, rolls: [2] }],
  ['warm', { warm: 3 }],
  ['hot', {}],
])('a session that began before the range, a month ago, is not in it: %s', async (_, where) => {
  const of = (timestamp: number, session_id: string) => sent({ timestamp, session_id })
  const { engine, read } = await setUp(
    [
      [[of(MIDNIGHT - 30 * DAY, 'old'), of(MIDNIGHT - 1, 'just before')]],
      [[of(MIDNIGHT + HOUR, 'old'), of(MIDNIGHT, 'just before'), of(MIDNIGHT, 'new')]],
    ],
    where,
  )
  expect(await engine.rows(sessionTotals(read))).toHaveLength(1)
  expect(await engine.rows(sessionTotals({ ...read, from: MIDNIGHT - DAY }))).toHaveLength(2)
  expect(await engine.rows(sessionTotals({ ...read, from: MIDNIGHT - 1 }))).toHaveLength(2)
  expect(await engine.rows(sessionTotals({ ...read, from: MIDNIGHT - 31 * DAY }))).toHaveLength(3)
})

test.each([
  ['cold', { warm: 3, rolls: [2, 3] }],
  ['warm', { warm: 3 }],
  ['hot', {}],
])('a session_id that returns after 35 days without an event begins a new session: %s', async (_, where) => {
  const of = (timestamp: number, session_id: string) => sent({ timestamp, session_id })
  const { engine, read } = await setUp(
    [
      [[of(MIDNIGHT - 35 * DAY, 'paused'), of(MIDNIGHT - 35 * DAY - 1, 'over')]],
      [[of(MIDNIGHT + HOUR, 'paused'), of(MIDNIGHT + HOUR, 'over')]],
    ],
    where,
  )
  expect(await engine.rows(sessionTotals(read))).toEqual([{ event_count: 1, is_bounce: 1, duration: 0 }])
})

test.each([
  ['cold', { warm: 4, rolls: [2, 3, 4] }],
  ['hot', {}],
])(
  'the user of a session is the last by timestamp, arrival and place in the request: %s',
  async (_, where) => {
    const at = MIDNIGHT + HOUR
    const of = (user_id: string | null, timestamp: number, arrived: number, session_id = 's') =>
      sent({ user_id, timestamp, arrived, session_id })
    const { engine, read } = await setUp(
      [
        [[of('u1', at, at + 5000)]],
        [[of('u2', at, at + 6500), of('u3', at, at + 6500), of('u4', at - 1, at + 7000)]],
        [[of(null, at + 1, at + 8000), of('u3', at, at + 9000, 'other')]],
      ],
      where,
    )
    const users = sql`SELECT count(DISTINCT user_key) AS users, count(*) AS sessions FROM ${sessions(read)} AS v`
    expect(await engine.rows(users)).toEqual([{ users: 1, sessions: 2 }])
  },
)

test('activity counts the same visitors from the rollup, from what is warm and hot, and from within a day', async () => {
  const visit = (user_id: string | null, timestamp: number) => sent({ user_id, timestamp })
  const { engine, read } = await setUp(
    [
      [[visit('u1', MIDNIGHT + HOUR), visit('u2', MIDNIGHT + HOUR), visit(null, MIDNIGHT + HOUR)]],
      [[visit('u1', MIDNIGHT + 2 * HOUR)]],
      [[visit('u2', MIDNIGHT + 3 * HOUR), visit('u3', MIDNIGHT - HOUR)]],
    ],
    { warm: 3, rolls: [2] },
  )
  const counted = (of: LakeRead) => sql`SELECT CAST(sum(event_count) AS bigint) AS n,
    count(DISTINCT visitor) AS visitors FROM ${activity(of)} AS a`
  expect(await engine.rows(counted(read))).toEqual([{ n: 5, visitors: 2 }])
  expect(await engine.rows(counted({ ...read, from: MIDNIGHT - 2 * HOUR }))).toEqual([{ n: 6, visitors: 3 }])
  expect(await engine.rows(counted({ ...read, from: MIDNIGHT + HOUR + 1 }))).toEqual([{ n: 2, visitors: 2 }])
})
