import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import type { BuiltLake, EventsRecord } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { goodRequest } from '#test/support/good-requests'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'

/**
 * docs/api/limits.md: events that are older than the plan keeps are invisible to reads at once. The project
 * `both` has old and recent events, the project `recent` only the recent ones. So every read must respond
 * equally for both.
 */

const DAY = 86_400_000
/** 100 days after the projects were created. The plan keeps 90 days. */
const LATER = NOW + 100 * DAY

let folder: FolderLake
let service: HttpService
let built: BuiltLake
/** A service whose plan keeps everything, and a project with old events in it. */
let own: typeof service
let unlimited: Project
let both: Project
let recent: Project
/** Of that service: what `both` and `recent` have, and a choice of 90 days in the place of a plan. */
let chosen: Project
let chosenRecent: Project

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({
    profile: 'hosted',
    limits: 'pro.retention_days=90,pro.rate_limit_rpm=-1',
    reading: { engine: folder.engine, openLake: () => built.openLake() },
  })
  own = await openHttpService({ reading: { engine: folder.engine, openLake: () => built.openLake() } })
  unlimited = await own.createProject()
  chosen = await own.createProject()
  chosenRecent = await own.createProject()
  for (const { id } of [chosen, chosenRecent])
    await own.call(routes.updateProject, { id, body: { retention_days: 90 } })
  own.wait(LATER - NOW)
  both = await service.createProject()
  recent = await service.createProject()
  service.wait(LATER - NOW)
  const older = (project: Project) =>
    recordOf(project, LATER - 95 * DAY, ['page_view', 'old_event', 'signup'])
  const newer = (project: Project) =>
    [60, 1].map(days => recordOf(project, LATER - days * DAY, ['page_view', 'signup', 'page_view']))
  built = await folder.build({
    // The first two epochs are one segment, the third is hot.
    epochs: [
      [[older(both), older(unlimited), older(chosen)]],
      [[both, unlimited, recent, chosen, chosenRecent].flatMap(newer)],
      [[]],
    ],
    compacted: 3,
    mergeEnds: [3],
  })
})

afterAll(async () => {
  await service.close()
  await own.close()
  await folder.close()
})

function recordOf(project: Project, at: number, names: readonly string[]): EventsRecord {
  return {
    kind: 'events',
    project_id: project.id,
    account_id: 'acc_1',
    bucket: project.bucket,
    received_at: at,
    seq: 1,
    country: names.includes('old_event') ? 'FR' : 'DE',
    events: names.map((event, i) => ({
      event,
      properties: { path: `/${event}`, [`key_${event}`]: i },
      user_id: 'u1',
      session_id: `s${at}`,
      timestamp: at + i * 1_000,
      event_id: null,
    })),
  }
}

/** A range that begins before the old events. */
function rangeOf(name: RouteName): Record<string, string | number> {
  if (name === 'query') return { date_from: '99d' }
  if (name === 'paths') return { since: '90d' }
  if (name === 'insights') return { period: '90d' }
  if (name === 'retention') return { period: 'month', cohorts: 6 }
  return { since: '99d' }
}

async function read(
  name: RouteName,
  project: Project,
  fields: Record<string, string | number>,
  from = service,
) {
  const route: Route = routes[name]
  const request = await goodRequest(from, name, project.name)
  const query = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]))
  const { status, text } = await from.call(route, {
    ...request,
    ...(route.body
      ? { body: { ...(request.body as object), ...fields } }
      : { query: { ...request.query, ...query } }),
  })
  expect(status).toBe(200)
  return text.replaceAll(project.name, 'PROJECT').replaceAll(project.id, 'ID')
}

const reads = (Object.entries(routes) as [RouteName, Route][]).filter(
  ([, route]) => route.function === 'reports' && route.tag === 'Analytics' && route.project !== undefined,
)

test.each(reads)('%s sees no event that is older than the plan keeps', async name => {
  const text = await read(name, both, rangeOf(name))
  expect(text).toBe(await read(name, recent, rangeOf(name)))
  expect(text).not.toContain('old_event')
})

test.each(reads)('%s sees no event that is older than its project keeps', async name => {
  const text = await read(name, chosen, rangeOf(name), own)
  expect(text).toBe(await read(name, chosenRecent, rangeOf(name), own))
  expect(text).not.toContain('old_event')
})

test.each<[RouteName, Record<string, string | number>]>([
  ['stats', { since: '60d', compare: 'previous' }],
  ['query', { date_from: '60d', compare: 'previous' }],
])('the previous period of %s is cut too', async (name, fields) => {
  expect(await read(name, both, fields)).toBe(await read(name, recent, fields))
})

test('GET /account/all-sites counts no event that is older than the plan keeps', async () => {
  const { body } = await service.call(routes.allSites, { query: { period: '90d' } })
  expect(body.summary).toMatchObject({
    active_projects: 2,
    total_events: { current: 12, previous: 0 },
  })
})

test('a plan that keeps more shows the old events', async () => {
  const { body } = await own.call(routes.stats, { query: { project: unlimited.name, since: '99d' } })
  expect(body.totals).toMatchObject({ total_events: 9 })
})

test('GET /account/all-sites counts of each project what it keeps itself', async () => {
  const { body } = await own.call(routes.allSites, { query: { period: '90d' } })
  expect(body.summary).toMatchObject({ total_events: { current: 18, previous: 3 } })
})

test('a project that takes its choice back shows what was not deleted yet', async () => {
  const count = async () => {
    const { body } = await own.call(routes.stats, { query: { project: chosen.name, since: '99d' } })
    return (body.totals as { total_events: number }).total_events
  }
  const choose = (retention_days: number) =>
    own.call(routes.updateProject, { id: chosen.id, body: { retention_days } })
  expect(await count()).toBe(6)
  expect((await choose(0)).body).toMatchObject({ retention_days: null })
  expect(await count()).toBe(9)
  expect((await choose(30)).body).toMatchObject({ retention_days: 30 })
  expect(await count()).toBe(3)
  expect((await choose(90)).body).toMatchObject({ retention_days: 90 })
})

test.each([-1, 1.5, 36_501, '30', true])('%j is no number of days', async retention_days => {
  const { status, body } = await own.call(routes.updateProject, {
    id: unlimited.id,
    body: { retention_days },
  })
  expect([status, body.error, body.message]).toEqual([
    400,
    'MISSING_FIELDS',
    expect.stringContaining('`retention_days`'),
  ])
})

test('a project keeps at most what its plan keeps', async () => {
  const choose = (retention_days: number) =>
    service.call(routes.updateProject, { id: both.id, body: { retention_days } })
  const { status, body } = await choose(91)
  expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
  expect(body.message).toContain('at most 90')
  for (const days of [90, 0]) expect((await choose(days)).status).toBe(200)
})
