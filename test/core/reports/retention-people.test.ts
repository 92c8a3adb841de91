import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RetentionParams } from '#core/reports/retention/params'
import { retention } from '#core/reports/retention/retention'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { MAX_PEOPLE } from '#schemas/funnel'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordOf } from '#test/support/record-of'

const DAY = 86_400_000
const YESTERDAY = new Date(NOW - DAY).toJSON().slice(0, 10)
const TODAY = new Date(NOW).toJSON().slice(0, 10)
/** First seen yesterday. Every second one comes back today, so more do than `people` lists. */
const USERS = MAX_PEOPLE * 2 + 20
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })

let folder: FolderLake
let services: ReportServices

beforeAll(async () => {
  folder = await openFolderLake()
  const visit = (user: number, timestamp: number) => ({
    event: 'page_view',
    user_id: `u${user}`,
    session_id: `${timestamp > NOW - DAY ? 'second' : 'first'}-${user}`,
    timestamp,
  })
  const events = Array.from({ length: USERS }, (_, user) => [
    visit(user, NOW - DAY - user),
    ...(user % 2 === 0 ? [visit(user, NOW - 10_000 - user)] : []),
  ]).flat()
  const { openLake } = await folder.build({ epochs: [[[recordOf(project, events)]], []], compacted: 2 })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
}, 60_000)

afterAll(() => folder.close())

const run = (params: Partial<RetentionParams>) =>
  runReport(retention, services, { project, query: { period: 'day', cohorts: 3, ...params } })

/** From the rollup, from the events of sessions, and by the name of an event. */
const SOURCES: Partial<RetentionParams>[] = [{}, { tz: 'Europe/Berlin' }, { event: 'page_view' }]

test.each(SOURCES)(
  'the people of a cell are named, the latest first, and cut at the limit (%o)',
  async params => {
    const cell = { ...params, people_of_cohort: YESTERDAY }
    const ids = (step: number, from = 0) =>
      Array.from({ length: MAX_PEOPLE }, (_, i) => `u${from + i * step}`)
    const returned = await run({ ...cell, people_of_offset: 1 })
    expect(returned.cohorts[0]).toMatchObject({ users: USERS, retained: [USERS, USERS / 2] })
    expect(returned.people?.map(({ id }) => id)).toEqual(ids(2))
    expect(returned.people?.[1]).toEqual({ id: 'u2', at: NOW - 10_002 })
    const dropped = await run({ ...cell, people_of_offset: 1, people_dropped: true })
    expect(dropped.people?.map(({ id }) => id)).toEqual(ids(2, 1))
    expect(dropped.people?.[0]).toEqual({ id: 'u1', at: NOW - DAY - 1 })
    const whole = await run(cell)
    expect(whole.people?.map(({ id }) => id)).toEqual(ids(1))
    expect(whole.people?.[0]).toEqual({ id: 'u0', at: NOW - DAY })
  },
)

test('a cohort without users has no people, and a request without a cell does not list any', async () => {
  expect((await run({ people_of_cohort: TODAY })).people).toEqual([])
  expect(await run({})).not.toHaveProperty('people')
  expect(await run({ people_dropped: false })).not.toHaveProperty('people')
})

test.each<[string, Partial<RetentionParams>, string]>([
  ['a date between cohorts', { period: 'week', people_of_cohort: '2026-11-18' }, '2026-11-09, 2026-11-16.'],
  ['a cohort before the window', { people_of_cohort: '2026-11-15' }, 'No cohort of this request begins'],
  ['a period that has not begun', { people_of_cohort: YESTERDAY, people_of_offset: 2 }, 'from 0 to 1.'],
  ['an offset alone', { people_of_offset: 1 }, '`people_of_cohort` is missing'],
  ['people_dropped alone', { people_dropped: true }, '`people_of_cohort` is missing'],
  ['people_dropped of the first period', { people_of_cohort: YESTERDAY, people_dropped: true }, 'from 1'],
])('%s is refused with what to send', async (_, params, message) => {
  await expect(run(params)).rejects.toMatchObject({
    code: 'MISSING_FIELDS',
    message: expect.stringContaining(message),
  })
})
