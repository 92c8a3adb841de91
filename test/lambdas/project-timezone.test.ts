import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { goodRequest } from '#test/support/good-requests'
import { type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'

/** The time zone of a project, by which reads without `tz` count (docs/api/reads.md#time-zones). */

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

/** Now is 2026-11-21, noon UTC. There it is the 22nd. */
const ZONE = 'Pacific/Kiritimati'

type Shaped = { shape?: Record<string, unknown> }
const hasTz = ({ query, body }: Route) =>
  [query, body].some(schema => (schema as Shaped | undefined)?.shape?.tz !== undefined)
const reads = (Object.entries(routes) as [RouteName, Route][]).filter(
  // POST /reads hands it on to such reads.
  ([name, route]) => hasTz(route) && route.project !== undefined && name !== 'reads',
)

/** The same request with one more field, in the body of a route that has one. */
function withTz(route: Route, request: RequestOptions, tz: string): RequestOptions {
  return route.body === undefined
    ? { ...request, query: { ...request.query, tz } }
    : { ...request, body: { ...(request.body as object), tz } }
}

/** What a response says its range is. */
function rangeOf({ period, range, current_period }: Record<string, unknown>) {
  return (range ?? current_period ?? period) as { to: string; tz?: string }
}

test('there are reads of a project with `tz`', () => {
  expect(reads.length).toBeGreaterThan(15)
})

test.each(reads)('%s without `tz` counts in the time zone of its project', async (name, route) => {
  const project = await service.createProject()
  const request = await goodRequest(service, name, project.name)
  const utc = await service.call(route, request)
  expect(rangeOf(utc.body)).toMatchObject({ to: '2026-11-21' })
  expect(rangeOf(utc.body).tz).toBe(undefined)
  const named = await service.call(route, withTz(route, request, ZONE))
  await service.call(routes.updateProject, { id: project.id, body: { timezone: ZONE } })
  const own = await service.call(route, request)
  expect(rangeOf(own.body)).toMatchObject({ to: '2026-11-22', tz: ZONE })
  expect(own.body).toEqual(named.body)
  const other = await service.call(route, withTz(route, request, 'UTC'))
  expect(rangeOf(other.body)).toMatchObject({ to: '2026-11-21', tz: 'UTC' })
  await service.call(routes.updateProject, { id: project.id, body: { timezone: '' } })
  expect((await service.call(route, request)).body).toEqual(utc.body)
})

test.each([routes.allSites, routes.accountBotTraffic])(
  'a read over all projects counts in UTC without `tz`',
  async route => {
    const project = await service.createProject()
    await service.call(routes.updateProject, { id: project.id, body: { timezone: ZONE } })
    const { body } = await service.call(route)
    expect(body.period).toMatchObject({ to: '2026-11-21' })
    expect(body.period).not.toHaveProperty('tz')
  },
)

test('reads of one moment with and without the time zone of the project are different questions', async () => {
  const [one, other] = [await service.createProject(), await service.createProject()]
  await service.call(routes.updateProject, { id: one.id, body: { timezone: ZONE } })
  const bodies = [one, one, other].map(({ name }, i) => ({
    ...{ project: name, metrics: ['event_count'], group_by: ['event'] },
    ...(i === 1 && { tz: 'UTC' }),
  }))
  const answers = await Promise.all(bodies.map(body => service.call(routes.query, { body })))
  expect(answers.map(({ body }) => rangeOf(body).tz)).toEqual([ZONE, 'UTC', undefined])
})

test('a share link counts in the time zone of its project', async () => {
  const project = await service.createProject()
  await service.call(routes.updateProject, { id: project.id, body: { timezone: ZONE } })
  const { body: link } = await service.call(routes.createShareLink, { id: project.id, body: {} })
  const token = new URL(link.url as string).pathname.split('/')[2] as string
  const headers = { Authorization: `Bearer ${token}` }
  const query = { project: project.name }
  const { body } = await service.call(routes.stats, { key: null, headers, query })
  expect(body.period).toMatchObject({ tz: ZONE })
})

describe('the record of a project', () => {
  test('has the time zone of its creation, and that of the last change', async () => {
    const name = `zone-${Math.random().toString(36).slice(2)}`
    const made = await service.call(routes.createProject, { body: { name, timezone: 'Europe/Berlin' } })
    expect(made.body.timezone).toBe('Europe/Berlin')
    const changed = await service.call(routes.updateProject, { id: name, body: { timezone: 'Asia/Tokyo' } })
    expect(changed.body.timezone).toBe('Asia/Tokyo')
    const list = await service.call(routes.listProjects)
    expect(list.body.projects).toContainEqual(expect.objectContaining({ name, timezone: 'Asia/Tokyo' }))
    const cleared = await service.call(routes.updateProject, { id: name, body: { timezone: '' } })
    expect(cleared.body.timezone).toBe(null)
    expect((await service.call(routes.readProject, { id: name })).body.timezone).toBe(null)
  })

  test('has none by default, and keeps it when something else changes', async () => {
    const { id } = await service.createProject()
    expect((await service.call(routes.readProject, { id })).body.timezone).toBe(null)
    await service.call(routes.updateProject, { id, body: { timezone: ZONE } })
    const body = { link_domains: ['shop.example'], timezone: null }
    expect((await service.call(routes.updateProject, { id, body })).body.timezone).toBe(ZONE)
  })

  test.each(['Mars/Base', '+02:00', 'Europe/Berlin ', 'x'.repeat(10_000), 5, ['UTC'], { zone: 'UTC' }])(
    'refuses %j as time zone',
    async timezone => {
      const { id } = await service.createProject()
      const name = `zone-${Math.random().toString(36).slice(2)}`
      for (const response of [
        await service.call(routes.createProject, { body: { name, timezone } }),
        await service.call(routes.updateProject, { id, body: { timezone } }),
      ]) {
        expect([response.status, response.body.error]).toEqual([400, 'MISSING_FIELDS'])
        expect(response.body.message).toContain('`timezone` must be an IANA time zone')
      }
    },
  )
})
