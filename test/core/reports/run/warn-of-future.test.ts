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

function ask(route: Route, fields: Record<string, unknown>) {
  const all = { project: project.name, ...fields }
  return service.call(
    route,
    route.body === undefined ? { query: all as Record<string, string> } : { body: all },
  )
}

/** What the reads with a range need beside it. */
const NEEDS: Record<string, Record<string, unknown>> = {
  breakdown: { property: 'path' },
  conversion: { goal: 'signup', by: 'country' },
  ...{ eventsLookup: { user_id: 'u' }, journey: { user_id: 'u' } },
  ...{ journeyByBody: { user_id: 'u' }, journeyLookup: { user_id: 'u' } },
  funnel: { steps: [{ event: 'a' }, { event: 'b' }] },
  paths: { goal_event: 'a' },
}

/** The rows whose read takes `since`. POST /reads hands it on to such rows. */
const reads = (Object.entries(routes) as [string, Route][]).filter(([name, { query, body, tag }]) => {
  const shape = ((query ?? body) as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
  return tag === 'Analytics' && 'since' in shape && name !== 'reads'
})
/** Those that may begin and end within a day. */
const TAKE_TIMES = [
  ...['query', 'events', 'sessions', 'funnel', 'conversion'],
  ...['eventsByBody', 'eventsLookup', 'journey', 'journeyByBody', 'journeyLookup'],
]

test('the rows with a range are found', () => {
  expect(reads.map(([name]) => name)).toEqual(expect.arrayContaining([...TAKE_TIMES, 'stats', 'paths']))
  expect(reads.length).toBeGreaterThanOrEqual(15)
})

test.each(reads)(
  '%s takes a first and a last date by both names, and says the range',
  async (name, route) => {
    for (const dates of [
      { since: '2026-11-10', until: '2026-11-12' },
      { date_from: '2026-11-10', date_to: '2026-11-12' },
    ]) {
      const { status, body } = await ask(route, { ...NEEDS[name], ...dates })
      expect([status, body.message]).toEqual([200, undefined])
      const { period, range } = body as Record<string, Record<string, unknown>>
      expect(name === 'retention' ? range : period).toMatchObject({ from: '2026-11-10', to: '2026-11-12' })
    }
  },
)

test.each(reads)('%s counts from a time of day, or refuses it', async (name, route) => {
  const { status, body } = await ask(route, { ...NEEDS[name], since: '2026-11-17T10:30:00.123Z' })
  if (TAKE_TIMES.includes(name)) {
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.period).toMatchObject({ from: '2026-11-17', since: '2026-11-17T10:30:00.123Z' })
  } else {
    expect([status, body.error]).toEqual([400, 'INVALID_SINCE'])
    expect(body.message).toMatch(/counts whole dates/)
  }
})

test.each(reads)('%s says that a range which should end in the future ends now', async (name, route) => {
  const { body } = await ask(route, { ...NEEDS[name], until: '2999-01-01' })
  expect(body.warnings).toContain('`until` is in the future, so the range ends now.')
})
