import { afterAll, beforeAll, expect, test } from 'vitest'
import { isMetered, type Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { goodRequest } from '#test/support/good-requests'
import { type HttpService, openHttpService } from '#test/support/http-service'

/** R16: every analytics response about one project carries the context of the project. */

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

const reads = (Object.entries(routes) as [RouteName, Route][]).filter(
  ([, route]) =>
    isMetered(route) && route.project !== undefined && route.responses[200]?.schema !== undefined,
)

function at(occurred_at: string) {
  return { occurred_at, title: occurred_at }
}

async function setContext(project: { id: string }, occurred: readonly string[], goals: string[] = []) {
  const annotations = occurred.map(at)
  const context = { goals, activation_events: [], glossary: [], annotations }
  await service.contexts.setProject(project, context, '*')
}

test.each(reads)(
  '%s carries the context of its project, unless all of its lists are empty',
  async (name, route) => {
    const project = await service.createProject()
    const request = await goodRequest(service, name, project.name)
    const empty = await service.call(route, request)
    expect([empty.status, 'project_context' in empty.body]).toEqual([200, false])
    // Today and long ago: no range of a report holds the second one.
    await setContext(project, ['2026-11-21T08:00:00Z', '2001-01-01'])
    const { body } = await service.call(route, request)
    expect(body.project_context).toEqual({
      goals: [],
      activation_events: [],
      glossary: [],
      annotations: [at('2026-11-21T08:00:00Z')],
    })
    expect(route.responses[200]?.schema?.parse(body)).toHaveProperty('project_context')
    await setContext(project, ['2001-01-01'])
    expect('project_context' in (await service.call(route, request)).body).toBe(false)
    await setContext(project, ['2001-01-01'], ['More signups'])
    expect((await service.call(route, request)).body.project_context).toMatchObject({
      goals: ['More signups'],
      annotations: [],
    })
  },
)

/** What the annotations of a response are, for annotations on all dates around its range. */
async function datesShown(name: RouteName, fields: Record<string, unknown>, dates: readonly string[]) {
  const project = await service.createProject()
  await setContext(project, dates)
  const route: Route = routes[name]
  const request = await goodRequest(service, name, project.name)
  const texts = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]))
  const { body } = await service.call(route, {
    ...request,
    ...(route.body
      ? { body: { ...(request.body as object), ...fields } }
      : { query: { ...request.query, ...texts } }),
  })
  const context = body.project_context as { annotations: { occurred_at: string }[] }
  return context.annotations.map(({ occurred_at }) => occurred_at)
}

// Now is 2026-11-21, noon UTC.
test.each<[RouteName, Record<string, unknown>, string[]]>([
  ['stats', { since: '2d' }, ['2026-11-18', '2026-11-22T23:59:59Z']],
  ['query', { date_from: '2026-11-10', date_to: '2026-11-12' }, ['2026-11-09', '2026-11-13T23:59:59.999Z']],
  ['insights', { period: '7d' }, ['2026-11-07', '2026-11-22']],
  ['retention', { period: 'week', cohorts: 2 }, ['2026-11-08', '2026-11-22']],
  ['paths', { since: '1d' }, ['2026-11-19', '2026-11-22']],
  // Kiritimati is 14 hours ahead: there it is the 22nd, which begins on the 21st at 10:00 UTC.
  ['stats', { since: '0d', tz: 'Pacific/Kiritimati' }, ['2026-11-20T10:00:00Z', '2026-11-23T09:59:59Z']],
])('%s %o shows annotations from a day before its range to a day after it', async (name, fields, shown) => {
  const [first = 0, last = 0] = shown.map(date => Date.parse(date))
  const outside = [first - 1, last + 86_400_000].map(ms => new Date(ms).toISOString())
  expect(await datesShown(name, fields, [...shown, ...outside])).toEqual(shown)
})
