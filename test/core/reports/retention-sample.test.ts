import { afterAll, beforeAll, expect, test } from 'vitest'
import { shortKey } from '#core/lake/consume/id-keys'
import { MAX_USERS, type RetentionParams } from '#core/reports/retention/params'
import { retention } from '#core/reports/retention/retention'
import { createNotes } from '#core/reports/run/notes'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { MAX_PEOPLE } from '#schemas/funnel'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordOf } from '#test/support/record-of'

const DAY = 86_400_000
/** Three quarters of them were first seen yesterday, the others today. */
const USERS = 12_000
const YESTERDAYS = 9_000
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })

let folder: FolderLake
let services: ReportServices

// Each third user of yesterday comes back today.
beforeAll(async () => {
  folder = await openFolderLake()
  const visit = (user: number, session: string, timestamp: number) => ({
    event: 'page_view',
    user_id: `u${user}`,
    session_id: `${session}-${user}`,
    timestamp,
  })
  const events = Array.from({ length: USERS }, (_, user) =>
    user < YESTERDAYS
      ? [
          visit(user, 'first', NOW - DAY - user),
          ...(user % 3 === 0 ? [visit(user, 'second', NOW - 60_000)] : []),
        ]
      : [visit(user, 'first', NOW - 30_000 - user)],
  ).flat()
  const { openLake } = await folder.build({ epochs: [[[recordOf(project, events)]], []], compacted: 2 })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
}, 60_000)

afterAll(() => folder.close())

/** The users of the sample: those whose hash, changed by that of the project, is lowest. */
function sampledUsers(): number[] {
  const bits = (text: string) => BigInt(Math.floor((shortKey(text) ?? 0) / 2))
  const place = (user: number) => bits(`u${user}`) ^ bits(project.id)
  return Array.from({ length: USERS }, (_, user) => user)
    .toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
    .slice(0, MAX_USERS)
}

test.each<[string, Partial<RetentionParams>]>([
  ['sessions, from the rollup', {}],
  ['sessions, from the events', { tz: 'Europe/Berlin' }],
  ['events', { event: 'page_view' }],
])('of more users than the limit, an even sample is analyzed: %s', async (_, params) => {
  const sample = sampledUsers()
  const notes = createNotes()
  const run = (asked: Partial<RetentionParams>) =>
    runReport(
      retention,
      { ...services, notes },
      { project, query: { period: 'day', cohorts: 2, ...params, ...asked } },
    )
  const body = await run({})
  const [yesterdays, todays] = [
    sample.filter(user => user < YESTERDAYS),
    sample.filter(user => user >= YESTERDAYS),
  ]
  expect(body).toMatchObject({ users_analyzed: MAX_USERS, truncated: true, total_users: USERS })
  expect(body.cohorts.map(({ users, retained }) => [users, retained])).toEqual([
    [yesterdays.length, [yesterdays.length, yesterdays.filter(user => user % 3 === 0).length]],
    [todays.length, [todays.length]],
  ])
  // An even sample of 10,000 has 7,500 of the 9,000 users, give or take four standard deviations.
  expect(Math.abs(yesterdays.length - 7_500)).toBeLessThan(80)
  expect([...notes.warnings].slice(0, 1)).toEqual([
    expect.stringContaining('an even sample of 10000 of the 12000 users'),
  ])
  const people_of_cohort = new Date(NOW).toJSON().slice(0, 10)
  const { people = [] } = await run({ people_of_cohort })
  // The latest first: today's users came in the order of their numbers.
  const latest = todays.toSorted((a, b) => a - b).slice(0, MAX_PEOPLE)
  expect(people.map(({ id }) => id)).toEqual(latest.map(user => `u${user}`))
})
