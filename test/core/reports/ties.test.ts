import { afterAll, beforeAll, expect, test } from 'vitest'
import { paths } from '#core/reports/paths/paths'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { sessions } from '#core/reports/sessions'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordOf } from '#test/support/record-of'

/** A backup or an import gives many sessions one start time. */
const TIED = 700
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })
const START = NOW - 3_600_000

let folder: FolderLake
let services: ReportServices

// All sessions but the newest one start at the same millisecond. Odd ones bounce.
beforeAll(async () => {
  folder = await openFolderLake()
  const event = (i: number, name: string, timestamp: number) => ({
    event: name,
    properties: { path: `/${i % 3}` },
    user_id: `u${i}`,
    session_id: idOf(i),
    timestamp,
  })
  const events = Array.from({ length: TIED }, (_, i) => [
    event(i, 'page_view', START),
    ...(i % 2 === 0 ? [event(i, 'signup', START + 1_000)] : []),
  ]).flat()
  const all = [...events, event(TIED, 'page_view', START + 60_000)]
  const { openLake } = await folder.build({ epochs: [[[recordOf(project, all)]], []], compacted: 2 })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
}, 60_000)

afterAll(() => folder.close())

function idOf(i: number): string {
  return `s${String(i).padStart(4, '0')}`
}

test.each([50, 101, 500])(
  'of 700 sessions with one start time, a list of %i has those with the lowest ids, in order',
  async limit => {
    const body = await runReport(sessions, services, { project, query: { limit } })
    const ids = Array.from({ length: limit - 1 }, (_, i) => idOf(i))
    expect(body.sessions.map(({ session_id }) => session_id)).toEqual([idOf(TIED), ...ids])
    expect(body.sessions.map(({ user_id }) => user_id)).toEqual([
      `u${TIED}`,
      ...ids.map(id => `u${Number(id.slice(1))}`),
    ])
    expect(body).toMatchObject({ truncated: true, total_rows: TIED + 1 })
  },
)

test('pages of 101 sessions list each of the 700 sessions with one start time once, in order', async () => {
  const ids: unknown[] = []
  for (let before: string | undefined; ; ) {
    const page = await runReport(sessions, services, { project, query: { limit: 101, before } })
    ids.push(...page.sessions.map(({ session_id }) => session_id))
    if (page.next_before === null) break
    expect(page.sessions).toHaveLength(101)
    before = page.next_before
  }
  expect(ids).toEqual([idOf(TIED), ...Array.from({ length: TIED }, (_, i) => idOf(i))])
})

test('filters apply before the tied sessions are cut', async () => {
  const bounces = await runReport(sessions, services, { project, query: { limit: 3, is_bounce: 1 } })
  expect(bounces.sessions.map(({ session_id }) => session_id)).toEqual([idOf(TIED), idOf(1), idOf(3)])
  expect(bounces.total_rows).toBe(TIED / 2 + 1)
  const ofUser = await runReport(sessions, services, { project, query: { limit: 3, user_id: 'u42' } })
  expect(ofUser.sessions.map(({ session_id }) => session_id)).toEqual([idOf(42)])
  expect(ofUser).not.toHaveProperty('truncated')
})

test('of 700 sessions with one start time, paths follow those with the highest ids', async () => {
  const body = await runReport(paths, services, {
    project,
    body: {
      ...{ goal_event: 'signup', since: '7d', max_steps: 5, entry_limit: 10, path_limit: 5 },
      candidate_session_cap: 101,
    },
  })
  // The newest session and the 100 with the highest ids: half of them are even.
  const sumOf = (count: 'sessions' | 'conversions') =>
    body.entry_paths.reduce((sum, entry) => sum + entry[count], 0)
  expect([sumOf('sessions'), sumOf('conversions')]).toEqual([101, 50])
  const pages = Map.groupBy([TIED, ...Array.from({ length: 100 }, (_, i) => TIED - 1 - i)], i => `/${i % 3}`)
  expect(
    Object.fromEntries(body.entry_paths.map(({ entry_page, sessions }) => [entry_page, sessions])),
  ).toEqual(Object.fromEntries([...pages].map(([page, of]) => [page, of.length])))
  expect(body.truncated).toBe(true)
})
