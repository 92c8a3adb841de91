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

async function toldTimes(route: Route, fields: Record<string, unknown>): Promise<string[]> {
  const all = { project: project.name, ...fields }
  const { status, body } = await service.call(
    route,
    route.body === undefined ? { query: all as Record<string, string> } : { body: all },
  )
  expect([status, body.message]).toEqual([200, undefined])
  return ((body.warnings as string[] | undefined) ?? []).filter(text => text.includes('date-time'))
}

const told = (name: string, date: string) =>
  `\`${name}\` is a date-time and is read as the whole date ${date}. For a time of day use POST /query with filters by \`timestamp\`.`

/** What the reads with a free range need beside it. */
const NEEDS: Record<string, Record<string, unknown>> = {
  breakdown: { property: 'path' },
  conversion: { goal: 'signup', by: 'country' },
  ...{ eventsLookup: { user_id: 'u' }, journey: { user_id: 'u' } },
  ...{ journeyByBody: { user_id: 'u' }, journeyLookup: { user_id: 'u' } },
  funnel: { steps: [{ event: 'a' }, { event: 'b' }] },
}

/** Every row whose read takes `since` in a free form. */
const reads = (Object.entries(routes) as [string, Route][]).filter(([, { query, body, tag }]) => {
  const shape = ((query ?? body) as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
  return tag === 'Analytics' && 'since' in shape && !('goal_event' in shape)
})

test('the rows with a range are found', () => {
  expect(reads.map(([name]) => name)).toEqual(
    expect.arrayContaining(['stats', 'retention', 'events', 'funnel']),
  )
  expect(reads.length).toBeGreaterThanOrEqual(15)
})

test.each(reads)('%s says that a date-time is read as a whole date', async (name, route) => {
  const fields = { ...NEEDS[name], since: '2026-11-17T10:30:00Z' }
  expect(await toldTimes(route, fields)).toEqual([told('since', '2026-11-17')])
  expect(await toldTimes(route, { ...fields, since: '2026-11-17' })).toEqual([])
})

test('/query says it of both ends, with their names', async () => {
  const fields = { date_from: '2026-11-10T10:00', date_to: '2026-11-12T09:00:00+02:00' }
  expect(await toldTimes(routes.query, fields)).toEqual([
    told('date_from', '2026-11-10'),
    told('date_to', '2026-11-12'),
  ])
})

test.each([
  [
    'a time of another date in the zone',
    { since: '2026-11-17T23:30:00Z', tz: 'Europe/Berlin' },
    ['2026-11-18'],
  ],
  ['the start of a date', { since: '2026-11-17T00:00:00Z' }, []],
  ['the start of a date without an offset', { since: '2026-11-17T00:00' }, []],
  ['the start of a date in the zone', { since: '2026-11-16T23:00:00Z', tz: 'Europe/Berlin' }, []],
  [
    'midnight in UTC, which is not the start in the zone',
    { since: '2026-11-17T00:00:00Z', tz: 'Europe/Berlin' },
    ['2026-11-17'],
  ],
])('%s', async (_, fields, dates) => {
  expect(await toldTimes(routes.stats, fields)).toEqual(dates.map(date => told('since', date)))
})

test('an end is read as its whole date, also at midnight', async () => {
  const fields = { since: '2026-11-10', until: '2026-11-12T00:00:00Z' }
  expect(await toldTimes(routes.events, fields)).toEqual([told('until', '2026-11-12')])
})
