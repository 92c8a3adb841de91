import { afterAll, beforeAll, expect, test } from 'vitest'
import { events as eventsReport } from '#core/reports/events'
import { funnel } from '#core/reports/funnel/funnel'
import { properties } from '#core/reports/properties'
import { receivedProperties } from '#core/reports/received-properties'
import { retention } from '#core/reports/retention/retention'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordOf } from '#test/support/record-of'

/** Two more than a funnel or a retention report follows. */
const USERS = 10_002
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })

/** A project with more event names and countries than GET /stats lists: 22 of each, each once. */
const wideProject = { ...project, id: 'proj_2', name: 'wide' }
const WIDE = 22

let folder: FolderLake
let services: ReportServices

// User 0 is the newest one. Each user sends `signup`, and a second later `buy`.
beforeAll(async () => {
  folder = await openFolderLake()
  const events = Array.from({ length: USERS }, (_, i) =>
    ['signup', 'buy'].map((event, step) => ({
      event,
      user_id: `u${i}`,
      timestamp: NOW - 60_000 - i * 10 + step * 1_000,
    })),
  ).flat()
  const wideRecords = Array.from({ length: WIDE }, (_, i) => ({
    ...recordOf(wideProject, [{ event: `name-${i}`, user_id: 'u0', properties: { [`key_${i}`]: i } }], 2 + i),
    country: `${String.fromCharCode(65 + i)}A`,
  }))
  const { openLake } = await folder.build({ epochs: [[[recordOf(project, events), ...wideRecords]]] })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
}, 60_000)

afterAll(() => folder.close())

test('a funnel follows the 10 000 entities that started first, and warns', async () => {
  const body = await runReport(funnel, services, {
    project,
    body: {
      steps: [{ event: 'signup' }, { event: 'buy' }],
      conversion_window_hours: 168,
      count_by: 'user_id',
      breakdown_limit: 10,
    },
  })
  expect(body.steps.map(step => [step.users, step.raw_activity.event_count, step.joinable_entities])).toEqual(
    [
      [10_000, USERS, USERS],
      [10_000, USERS, USERS],
    ],
  )
  expect(body.truncated).toBe(true)
  expect(body.warnings).toEqual([
    'More than 10000 entities reached step 1. The funnel follows the 10000 earliest.',
  ])
})

test('retention analyzes a sample of 10 000 users, and says how many there are', async () => {
  const body = await runReport(retention, services, {
    project,
    query: { period: 'day', cohorts: 2, event: 'signup' },
  })
  expect(body).toMatchObject({ users_analyzed: 10_000, truncated: true, total_users: USERS })
  expect(body.cohorts).toEqual([{ date: '2026-11-18', users: 10_000, retained: [10_000], rates: [1] }])
})

test('a report says that it is cut when the project has more than the report lists, and only then', async () => {
  const statsOf = (of: typeof project) =>
    runReport(stats, services, { project: of, query: { groupBy: 'day' } })
  const wide = await statsOf(wideProject)
  expect([wide.events.length, wide.countries.length, wide.truncated]).toEqual([20, 20, true])
  expect((await statsOf(project)).truncated).toBe(undefined)

  const keysOf = (of: typeof project, sample: number) =>
    runReport(receivedProperties, services, { project: of, query: { sample } })
  expect(await keysOf(wideProject, WIDE - 1)).toMatchObject({ sample_size: WIDE - 1, truncated: true })
  const whole = await keysOf(wideProject, WIDE)
  expect([whole.sample_size, whole.properties.length, whole.truncated]).toEqual([WIDE, WIDE, undefined])
  expect((await runReport(properties, services, { project })).truncated).toBe(true)
  expect((await runReport(properties, services, { project: wideProject })).truncated).toBe(undefined)

  const pageOf = (limit: number) =>
    runReport(eventsReport, services, { project: wideProject, query: { limit } })
  expect(await pageOf(WIDE - 1)).toMatchObject({ truncated: true, next_before: expect.any(String) })
  expect(await pageOf(WIDE)).toMatchObject({ count: WIDE, next_before: null })
  expect((await pageOf(WIDE)).truncated).toBe(undefined)
})
