import { afterAll, expect, onTestFinished, test } from 'vitest'
import { eventKey } from '#core/lake/consume/id-keys'
import { copiedKeysSql } from '#core/lake/read/hot-events'
import type { LakeRead } from '#core/lake/read/lake-read'
import { activity, eventCounts, events, sessions } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import { readCopiedKeys } from '#core/reports/run/copied-keys'
import { sql } from '#core/sql/sql'
import type { EventsRecord } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MIDNIGHT = Date.parse('2026-11-18T00:00:00Z')
const project = { id: 'proj_1', bucket: 7, created_at: '2026-06-01T00:00:00Z', has_event_ids: true }

let seq = 0

type EventChanges = Partial<EventsRecord['events'][number]> & {
  arrived?: number
  project_id?: string
  credentialed?: true
}

/** A request with one event. It arrives at the event's timestamp, unless `arrived` is another time. */
function request({ arrived, project_id = 'proj_1', credentialed, ...event }: EventChanges): EventsRecord {
  const timestamp = event.timestamp ?? MIDNIGHT + HOUR
  return {
    kind: 'events',
    project_id,
    account_id: 'acc_1',
    bucket: 7,
    received_at: arrived ?? timestamp,
    seq: seq++,
    country: null,
    ...(credentialed && { credentialed }),
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

/** How much of a lake of three epochs is compacted. */
const HOT = {}
const SEGMENTS = { compacted: 4 }
const MERGED = { compacted: 4, mergeEnds: [4] }
const MIXED = { compacted: 3, mergeEnds: [3] }
const STATES = [
  ['hot only', HOT],
  ['segments of one epoch', SEGMENTS],
  ['one merged segment', MERGED],
  ['a merged segment and hot files', MIXED],
] as const

type CompactionState = { compacted?: number; mergeEnds?: number[] }

const RANGE = { from: MIDNIGHT, to: MIDNIGHT + 2 * DAY }

async function setUp(epochs: EventsRecord[][][], state: CompactionState = HOT) {
  const { engine, build, close } = await openFolderLake()
  onTestFinished(close)
  const built = await build({ epochs, ...state })
  const read: LakeRead = { snapshot: await built.snapshot(project.bucket), project, ...RANGE }
  return { engine, read }
}

/**
 * The events of all tests of STATES are in one lake for each state, because a compaction of several tests
 * takes as long as one. Each test has projects of its own.
 */
const epochsOfAll: EventsRecord[][][] = [[], [], []]
const lakes = new Map<CompactionState, ReturnType<typeof openLakeOf>>()
const opened: FolderLake[] = []
afterAll(() => Promise.all(opened.map(({ close }) => close())))

async function openLakeOf(state: CompactionState) {
  const folder = await openFolderLake()
  opened.push(folder)
  return { engine: folder.engine, built: await folder.build({ epochs: epochsOfAll, ...state }) }
}

/** The tests of sessions that began long before the range have segments of their own. */
const OLD_BUCKET = 8

let additions = 0

/**
 * Adds epochs to the lakes of STATES, and returns what reads those of a state. Call it before the first test
 * runs.
 */
function inEveryState(epochs: EventsRecord[][][], bucket = project.bucket) {
  additions += 1
  const addition = `of addition ${additions}`
  const ownId = (id: string) => `${id} ${addition}`
  for (const [i, files] of epochs.entries()) {
    const own = files.map(file =>
      file.map(record => ({ ...record, bucket, project_id: ownId(record.project_id) })),
    )
    epochsOfAll[i]?.push(...own)
  }
  return async (state: CompactionState) => {
    const lake = lakes.get(state) ?? openLakeOf(state)
    lakes.set(state, lake)
    const { engine, built } = await lake
    const ownProject = { ...project, bucket, id: ownId(project.id) }
    const read: LakeRead = { snapshot: await built.snapshot(bucket), project: ownProject, ...RANGE }
    return { engine, read }
  }
}

const namesSql = (read: LakeRead) =>
  sql`SELECT event FROM ${events(read, ['event', 'seq'])} AS each_event ORDER BY seq`

const twoProjects = inEveryState([
  [[request({ event: 'a' }), request({ event: 'of another project', project_id: 'proj_2' })]],
  [[request({ event: 'b' })], [request({ event: 'c' })]],
  [[request({ event: 'd' })]],
])

test.each(STATES)('a read returns the events of its project only: %s', async (_, state) => {
  const { engine, read } = await twoProjects(state)
  const rows = await engine.rows(namesSql(read))
  expect(rows.map(({ event }) => event)).toEqual(['a', 'b', 'c', 'd'])
})

test('a statement names only the segments that can have events of the range, and no hot files if there are none', async () => {
  const onDay = (day: number) => [
    [request({ timestamp: MIDNIGHT + day * DAY, session_id: 's', user_id: 'u' })],
  ]
  const { read } = await setUp([onDay(0), onDay(1), onDay(2)], SEGMENTS)
  const secondDay = { ...read, from: MIDNIGHT + DAY, to: MIDNIGHT + 2 * DAY }
  const [first, second, third] = ['1-2-0-0', '2-3-0-0', '3-4-0-0'] as const
  const file = (table: string, name: string) => `segments/${table}/bucket=7/${name}.parquet`
  expect(events(secondDay, ['event']).scans).toEqual([
    { table: 'segment_events', files: [file('events', second)] },
  ])
  expect(activity(secondDay).scans).toEqual([
    { table: 'segment_activity', files: [file('activity', second)] },
  ])
  // The events of the days before show which sessions started earlier, and those of the days after how they
  // went on.
  const scans = sessions(secondDay, ['event_count']).scans ?? []
  expect(new Set(scans.flatMap(({ files }) => files))).toEqual(
    new Set([first, second, third].map(name => file('sessions', name))),
  )
})

test('a read without any segment or hot file has no rows', async () => {
  const { engine, read } = await setUp([])
  expect(await engine.rows(namesSql(read))).toEqual([])
  expect(await engine.rows(sessionsSql(read))).toEqual([])
})

const aroundBounds = inEveryState([
  [
    [MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + 90_000, MIDNIGHT + DAY - 1, MIDNIGHT + DAY].map((timestamp, i) =>
      request({ event: String(i), timestamp }),
    ),
  ],
  [[]],
  [[]],
])

test.each(STATES)('the bounds of a range are exact to the millisecond: %s', async (_, state) => {
  const { engine, read } = await aroundBounds(state)
  const namesBetween = async (from: number, to: number) =>
    (await engine.rows(namesSql({ ...read, from, to }))).map(row => row.event)
  expect(await namesBetween(MIDNIGHT, MIDNIGHT + DAY)).toEqual(['1', '2', '3'])
  expect(await namesBetween(MIDNIGHT + 1, MIDNIGHT + DAY + 1)).toEqual(['2', '3', '4'])
  expect(await namesBetween(MIDNIGHT + 90_000, MIDNIGHT + 90_001)).toEqual(['2'])
  const countBetween = async (from: number, to: number) =>
    (
      await engine.rows(
        sql`SELECT count(*) AS n FROM ${events({ ...read, from, to }, ['event'])} AS each_event`,
      )
    )[0]?.n
  expect(await countBetween(MIDNIGHT - 1, MIDNIGHT + DAY + 1)).toBe(5)
  expect(await countBetween(MIDNIGHT, MIDNIGHT + DAY + 1)).toBe(4)
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

test('a hot copy of an event in a segment is left out for 24 hours, but not if the projects differ', async () => {
  const copy = (event: string, arrived: number, project_id?: string) =>
    request({ event, arrived, event_id: 'e', ...(project_id ? { project_id } : {}) })
  const { engine, read } = await setUp(
    [
      [[copy('first', MIDNIGHT), copy('of another project', MIDNIGHT, 'proj_2')]],
      [[copy('within', MIDNIGHT + DAY), copy('after', MIDNIGHT + DAY + 1_000 + DAY)]],
    ],
    { compacted: 2 },
  )
  expect(await engine.rows(namesSql(read))).toEqual([{ event: 'first' }, { event: 'after' }])
})

/** The read with what runReport finds out about copies. `many`: as if they were too many to name. */
async function withCopies(
  { engine, read }: Awaited<ReturnType<typeof setUp>>,
  { many = false } = {},
): Promise<LakeRead> {
  const { copiedKeys, replaced } = await readCopiedKeys(query => engine.rows(query), read)
  return many ? { ...read, copiedKeys: undefined, replaced: null } : { ...read, copiedKeys, replaced }
}

const ofPerson = (event: string, changes: EventChanges = {}) =>
  request({ event, event_id: 'inv-1', user_id: event, session_id: event, ...changes })
const server = (changes: EventChanges = {}) => ofPerson('server', { credentialed: true, ...changes })
const visitor = (changes: EventChanges = {}) => ofPerson('visitor', changes)

const totalsSql = (read: LakeRead) => sql`SELECT event, CAST(sum(event_count) AS bigint) AS events
    FROM ${eventCounts(read)} AS counts GROUP BY event ORDER BY event`
const sessionCountSql = (read: LakeRead) =>
  sql`SELECT count(*) AS sessions FROM ${sessions(read, ['event_count'])} AS session`

const copiesInAnyOrder = [
  [visitor(), server()],
  [server(), visitor()],
  [visitor(), visitor(), server()],
].map(copies => inEveryState([copies.slice(0, 1), copies.slice(1, 2), copies.slice(2)].map(epoch => [epoch])))

test.each(STATES)(
  'of copies of an event_id the one with a credential is read, whichever came first: %s',
  async (_, state) => {
    for (const copies of copiesInAnyOrder) {
      const lake = await copies(state)
      for (const many of [false, true]) {
        const read = await withCopies(lake, { many })
        expect(await lake.engine.rows(namesSql(read))).toEqual([{ event: 'server' }])
        expect(await lake.engine.rows(totalsSql(read))).toEqual([{ event: 'server', events: 1 }])
        expect(await lake.engine.rows(sessionCountSql(read))).toEqual([{ sessions: 1 }])
      }
    }
  },
)

const copyAfterADay = inEveryState([
  [[visitor({ arrived: MIDNIGHT, timestamp: MIDNIGHT })]],
  [[server({ arrived: MIDNIGHT + DAY + 1_000 })]],
  [[]],
])

test.each(STATES)(
  'a copy without a credential stays if the one with it came more than 24 hours later: %s',
  async (_, state) => {
    const lake = await copyAfterADay(state)
    const read = await withCopies(lake)
    expect(await lake.engine.rows(totalsSql(read))).toEqual([
      { event: 'server', events: 1 },
      { event: 'visitor', events: 1 },
    ])
  },
)

test('rollups are read again when the replaced event is gone from its segment', async () => {
  const epochs = [[[visitor()]], [[server()]], [[request({ event: 'hot' })]]]
  const hidden = await withCopies(await setUp(epochs, { compacted: 2 }))
  expect(eventCounts(hidden).scans?.map(({ table }) => table)).not.toContain('segment_activity')
  const compacted = await withCopies(await setUp(epochs, { compacted: 3 }))
  expect(eventCounts(compacted).scans?.map(({ table }) => table)).toContain('segment_activity')
})

test('only events that share an event_id are searched for copies', async () => {
  const event = (name: string, event_id: string | null, arrived = MIDNIGHT + HOUR) =>
    request({ event: name, event_id, arrived })
  const { engine, read } = await setUp(
    [
      [[event('stored', 'a'), event('older', 'b', MIDNIGHT - 2 * DAY)]],
      [[event('copy of stored', 'a'), event('first', 'c'), event('copy of first', 'c')]],
      [[event('again', 'b'), event('single', 'd'), event('without', null)]],
    ],
    { compacted: 2 },
  )
  const found = await engine.rows(copiedKeysSql(read, 10))
  const copiedKeys = found.map(({ copied_key }) => String(copied_key))
  expect(new Set(copiedKeys)).toEqual(new Set(['a', 'b', 'c'].map(id => String(eventKey(project.id, id)))))
  const names = ['stored', 'older', 'first', 'again', 'single', 'without']
  for (const keys of [copiedKeys, undefined]) {
    const rows = await engine.rows(namesSql({ ...read, from: MIDNIGHT - 3 * DAY, copiedKeys: keys }))
    expect(rows.map(row => row.event).toSorted()).toEqual(names.toSorted())
  }
  // Without copies the hot files are read once, and no stored event_ids.
  const scans = namesSql({ ...read, copiedKeys: [] }).scans?.map(({ table }) => table)
  expect(scans).toEqual(['segment_events', 'events_hot'])
})

test('copies are looked for only in segments that arrived within 30 hours before the newest one', async () => {
  const { read } = await setUp(
    [
      [[request({ event_id: 'e', timestamp: MIDNIGHT - 31 * HOUR })]],
      [[request({ event_id: 'f', timestamp: MIDNIGHT - 29 * HOUR })]],
      ...[-24, -18, -12, -6, 0].map(hours => [
        [request({ event_id: `g${hours}`, timestamp: MIDNIGHT + hours * HOUR })],
      ]),
      [[request({ event_id: 'h', timestamp: MIDNIGHT + HOUR })]],
    ],
    { compacted: 8 },
  )
  const scan = namesSql(read).scans?.find(({ table }) => table === 'segment_event_ids')
  expect(scan?.files).toEqual(
    [2, 3, 4, 5, 6, 7].map(epoch => `segments/event-ids/bucket=7/${epoch}-${epoch + 1}-0-0.parquet`),
  )
})

test('each table is read once if the project sends no event_ids', async () => {
  const { engine, read } = await setUp([[[request({ event: 'stored' })]], [[request({ event: 'hot' })]]], {
    compacted: 2,
  })
  const readWithoutIds = { ...read, project: { ...project, has_event_ids: false } }
  const scans = namesSql(readWithoutIds).scans?.map(({ table }) => table)
  expect(scans).toEqual(['segment_events', 'events_hot'])
  expect(await engine.rows(namesSql(readWithoutIds))).toEqual(await engine.rows(namesSql(read)))
})

const sessionsSql = (read: LakeRead) => sql`SELECT event_count, is_bounce,
    date_diff('millisecond', start_at, end_at) AS duration
  FROM ${sessions(read, ['start_at', 'end_at', 'event_count', 'is_bounce'])} AS session ORDER BY event_count, duration`

const ofSession = (timestamp: number, session_id = 's', changes: EventChanges = {}) =>
  request({ timestamp, session_id, ...changes })

const fragments = inEveryState([
  [[ofSession(MIDNIGHT + 23 * HOUR)]],
  [[ofSession(MIDNIGHT + 25 * HOUR, 's', { event: 'signup' })]],
  [[ofSession(MIDNIGHT + 22 * HOUR)]],
])

test.each(STATES)('the fragments of a session are read as one session: %s', async (_, state) => {
  const { engine, read } = await fragments(state)
  expect(await engine.rows(sessionsSql(read))).toEqual([{ event_count: 3, is_bounce: 0, duration: 3 * HOUR }])
})

const monthAgo = [
  [[ofSession(MIDNIGHT - 30 * DAY, 'old'), ofSession(MIDNIGHT - 1, 'just before')]],
  [[ofSession(MIDNIGHT + HOUR, 'old'), ofSession(MIDNIGHT, 'just before'), ofSession(MIDNIGHT, 'new')]],
  [[ofSession(MIDNIGHT + HOUR, 'new')]],
]
const sinceAMonth = inEveryState(monthAgo, OLD_BUCKET)
const SEGMENT_BEFORE_RANGE = { compacted: 2 }

test.each([...STATES, ['a segment before the range, and hot files in it', SEGMENT_BEFORE_RANGE]] as const)(
  'a session that started a month before the range is not in it: %s',
  async (_, state) => {
    const isAlone = state === SEGMENT_BEFORE_RANGE
    const { engine, read } = await (isAlone ? setUp(monthAgo, state) : sinceAMonth(state))
    expect(await engine.rows(sessionsSql(read))).toHaveLength(1)
    expect(await engine.rows(sessionsSql({ ...read, from: MIDNIGHT - DAY }))).toHaveLength(2)
    expect(await engine.rows(sessionsSql({ ...read, from: MIDNIGHT - 1 }))).toHaveLength(2)
    expect(await engine.rows(sessionsSql({ ...read, from: MIDNIGHT - 31 * DAY }))).toHaveLength(3)
  },
)

const afterPauses = inEveryState(
  [
    [[ofSession(MIDNIGHT - 35 * DAY, 'paused'), ofSession(MIDNIGHT - 35 * DAY - 1, 'over')]],
    [[ofSession(MIDNIGHT + HOUR, 'paused'), ofSession(MIDNIGHT + HOUR, 'over')]],
    [[]],
  ],
  OLD_BUCKET,
)

test.each(STATES)(
  'a session_id that returns after 35 days without an event starts a new session: %s',
  async (_, state) => {
    const { engine, read } = await afterPauses(state)
    expect(await engine.rows(sessionsSql(read))).toEqual([{ event_count: 1, is_bounce: 1, duration: 0 }])
  },
)

const AT = MIDNIGHT + HOUR
const ofUser = (user_id: string | null, timestamp: number, arrived: number, session_id = 's') =>
  ofSession(timestamp, session_id, { user_id, arrived })

const severalUsers = inEveryState([
  [[ofUser('u1', AT, AT + 5000)]],
  [[ofUser('u2', AT, AT + 6500), ofUser('u3', AT, AT + 6500), ofUser('u4', AT - 1, AT + 7000)]],
  [[ofUser(null, AT + 1, AT + 8000), ofUser('u3', AT, AT + 9000, 'other')]],
])

test.each(STATES)(
  'the user of a session is the last one by timestamp, arrival and order in the request: %s',
  async (_, state) => {
    const { engine, read } = await severalUsers(state)
    const users = sql`SELECT count(DISTINCT user_key) AS users, count(*) AS sessions FROM ${sessions(read, ['user_key'])} AS session`
    expect(await engine.rows(users)).toEqual([{ users: 1, sessions: 2 }])
  },
)

const onTwoDates = inEveryState(
  ['a', 'b', 'a'].map(user_id => [
    [0, 0, 1].map(day => request({ timestamp: MIDNIGHT + day * DAY, user_id, event: `on day ${day}` })),
  ]),
)

test.each(STATES)(
  'events are counted by date, name and country as activity counts them: %s',
  async (_, state) => {
    const { engine, read } = await onTwoDates(state)
    const countsSql = (
      counts: SqlQuery,
    ) => sql`SELECT event, country, CAST(date AS varchar) AS utc_date, CAST(sum(event_count) AS bigint) AS events
    FROM ${counts} AS event_counts GROUP BY date, event, country ORDER BY date`
    const expected = await engine.rows(countsSql(activity(read)))
    expect(expected.map(({ events }) => Number(events))).toEqual([6, 3])
    expect(await engine.rows(countsSql(eventCounts(read)))).toEqual(expected)
    expect(eventCounts(read).text.includes('total_count')).toBe(read.snapshot.segments.length > 0)
  },
)

test('activity counts the same users in the rollup, in hot events, and from a time within a day', async () => {
  const ofUser = (user_id: string | null, timestamp: number) => request({ user_id, timestamp })
  const { engine, read } = await setUp(
    [
      [[ofUser('u1', MIDNIGHT + HOUR), ofUser('u2', MIDNIGHT + HOUR), ofUser(null, MIDNIGHT + HOUR)]],
      [[ofUser('u1', MIDNIGHT + 2 * HOUR)]],
      [[ofUser('u2', MIDNIGHT + 3 * HOUR), ofUser('u3', MIDNIGHT - HOUR)]],
    ],
    MIXED,
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

test('a range that ends within a date of a segment reads the events, and its sessions go on after it', async () => {
  const ofSession = (hours: number) =>
    request({ timestamp: MIDNIGHT + hours * HOUR, session_id: 's', user_id: 'u', event: `at ${hours}` })
  const { engine, read } = await setUp([[[ofSession(1), ofSession(2), ofSession(3)]], [[ofSession(4)]]], {
    compacted: 2,
  })
  const until = { ...read, to: MIDNIGHT + 3 * HOUR }
  expect(await engine.rows(sessionsSql(until))).toEqual([
    { event_count: 4, is_bounce: 0, duration: 3 * HOUR },
  ])
  expect(
    await engine.rows(
      sql`SELECT CAST(sum(event_count) AS bigint) AS events FROM ${activity(until)} AS activity`,
    ),
  ).toEqual([{ events: 2 }])
})

const ofPage = (properties: Record<string, unknown> | null, minutes: number) =>
  ofSession(MIDNIGHT + minutes * 60_000, 's', { properties })

const severalPages = inEveryState([
  [[ofPage({ path: '/middle' }, 5), ofPage({ path: '', url: 'https://x/last' }, 9)]],
  [[ofPage({ path: '/first' }, 2), ofPage(null, 1)]],
  [[ofPage({ path: '/between' }, 7), ofPage({ path: 7 }, 10)]],
])

test.each(STATES)(
  'the pages of a session are those of its first and last event with a page: %s',
  async (_, state) => {
    const { engine, read } = await severalPages(state)
    expect(
      await engine.rows(
        sql`SELECT entry_page, exit_page FROM ${sessions(read, ['entry_page', 'exit_page'])} AS session`,
      ),
    ).toEqual([{ entry_page: '/first', exit_page: 'https://x/last' }])
  },
)

test('a field that no event has does not compile', async () => {
  const { engine, read } = await setUp([])
  // @ts-expect-error: the name is not in schemas/columns.ts.
  const relation = events(read, ['evnt'])
  await expect(engine.rows(sql`SELECT 1 AS one FROM ${relation} AS each_event`)).rejects.toThrow()
})
