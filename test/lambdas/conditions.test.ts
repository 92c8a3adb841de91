import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
let project: Project
beforeAll(async () => {
  service = await openHttpService()
  project = await service.createProject()
})
afterAll(() => service.close())

/** What the reads with a condition need beside it. */
const NEEDS: Record<string, Record<string, unknown>> = {
  breakdown: { property: 'path' },
  conversion: { goal: 'signup', by: 'country' },
  ...{ eventsLookup: { user_id: 'u' }, journey: { user_id: 'u' } },
  ...{ journeyByBody: { user_id: 'u' }, journeyLookup: { user_id: 'u' } },
  funnel: { steps: [{ event: 'a' }, { event: 'b' }] },
  paths: { goal_event: 'a' },
}

/** Every row that takes a condition. */
const reads = (Object.entries(routes) as [string, Route][]).filter(([, { query, body }]) => {
  const shape = ((query ?? body) as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
  return 'where' in shape && 'filter' in shape
})

async function ask(name: string, route: Route, fields: Record<string, unknown>) {
  const all = { project: project.name, ...NEEDS[name], ...fields }
  const query = Object.fromEntries(
    Object.entries(all).map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  )
  const { status, body } = await service.call(route, route.body === undefined ? { query } : { body: all })
  return { status, error: body.error, message: String(body.message ?? ''), body }
}

test('all dated reads take a condition', () => {
  expect(reads.length).toBeGreaterThanOrEqual(16)
})

const NESTED = {
  or: [
    { person: { did: { event: 'purchase', at_least: 2, within: '90d' } } },
    { not: { session: { field: 'is_bounce', op: 'eq', value: true } } },
  ],
}

test.each(reads)('%s takes `where` and `filter`, and both must hold', async (name, route) => {
  const asked = await ask(name, route, { where: NESTED, filter: 'country:eq:DE' })
  expect([asked.status, asked.message]).toEqual([200, ''])
})

test.each(reads)('%s refuses a condition of another form or about an unknown field', async (name, route) => {
  for (const [fields, error] of [
    [{ where: { field: 'chanel', op: 'eq', value: 'x' } }, 'INVALID_FILTER_FIELD'],
    [{ where: { field: 'path', op: 'eq', value: '/' } }, 'INVALID_FILTER_FIELD'],
    [{ where: { field: 'properties.a.b', op: 'eq', value: '/' } }, 'INVALID_PROPERTY_KEY'],
    [{ where: { field: 'timestamp', op: 'gt', value: 'soon' } }, 'MISSING_FIELDS'],
    [{ where: { and: [] } }, 'MISSING_FIELDS'],
    [{ filter: 'country' }, 'MISSING_FIELDS'],
  ] as const) {
    const asked = await ask(name, route, fields)
    expect([asked.status, asked.error]).toEqual([400, error])
  }
})

test('a condition that would scan the events very often is refused', async () => {
  const within = (days: number) => ({ did: { event: 'a', within: `${days}d` } })
  const or = (count: number) => ({ or: Array.from({ length: count }, (_, i) => within(i + 1)) })
  expect((await ask('stats', routes.stats, { where: or(8) })).status).toBe(200)
  const { status, error, message } = await ask('stats', routes.stats, { where: or(9) })
  expect([status, error]).toEqual([400, 'QUERY_FAILED'])
  expect(message).toContain('fewer different values of `within`')
})

test('a bare name of a property is answered with the name to send', async () => {
  const { body } = await ask('stats', routes.stats, { where: { field: 'path', op: 'eq', value: '/' } })
  expect(body).toMatchObject({ suggested_field: 'properties.path' })
})

test('an operator that leaves out what lacks the field says so, wherever it stands', async () => {
  const leaf = { field: 'country', op: 'neq', value: 'DE' }
  for (const where of [
    leaf,
    { not: leaf },
    { person: { and: [leaf] } },
    { did: { event: 'a', where: leaf } },
  ]) {
    const { body } = await ask('stats', routes.stats, { where })
    expect(body.warnings).toContainEqual(expect.stringContaining('leave out what lacks the field'))
  }
  const { body } = await ask('stats', routes.stats, { where: { not: { ...leaf, op: 'eq' } } })
  expect(body.warnings ?? []).not.toContainEqual(expect.stringContaining('lacks the field'))
})
