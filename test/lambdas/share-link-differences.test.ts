import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

/**
 * What answers of a share link tell together (docs/api/dashboard.md#groups-of-few-people). On DAY eight
 * people have three orders each, and the target has one: at 00:07:30, with the value 4321. Two days before,
 * somebody else is the only visitor.
 */

const DAY = '2026-11-19'
const QUIET_DAY = '2026-11-17'
const TARGET_VALUE = 4321
const HOUR = 3_600_000
/** What the target or the visitor of the quiet day has sent, and nobody else. */
const SECRETS = [TARGET_VALUE, 777, 9_999]

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project
let headers: Record<string, string>

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({
    reading: { engine: folder.engine, openLake: () => built.openLake() },
  })
  project = await service.createProject()
  const order = (user_id: string, timestamp: number, properties: Record<string, string | number>) => ({
    ...{ event: 'order', user_id, session_id: `s-${user_id}`, timestamp },
    properties: { team: 'a', ...properties },
  })
  const midnight = Date.parse(DAY)
  const crowd = Array.from({ length: 24 }, (_, i) => {
    const who = i % 8
    const at = midnight + (8 + Math.floor(i / 8)) * HOUR + who * 1_000
    const plan = who < 4 ? 'free' : 'pro'
    return order(`u${who}`, at, { value: 10 + who, country_p: 'DE', plan })
  })
  const target = [
    order('target', midnight + 7.5 * 60_000, { value: TARGET_VALUE, country_p: 'LI', plan: 'pro' }),
    // One who is in both parts of a filter: only the event with the salary is left out by it.
    order('u0', midnight + 9 * HOUR, { value: 10, country_p: 'FR', plan: 'free', salary: 9_999 }),
  ]
  const quiet = [
    order('lonely', Date.parse(QUIET_DAY) + 15 * HOUR, { value: 777, country_p: 'DE', plan: 'pro' }),
  ]
  const today = Array.from({ length: 6 }, (_, i) => ({
    ...{ event: 'login', user_id: `t${i}`, timestamp: NOW - HOUR },
    properties: { today: 5 },
  }))
  built = await folder.build({
    epochs: [[[recordOf(project, [...crowd, ...target, ...quiet, ...today], 1)]]],
    compacted: 1,
  })
  headers = await newLink(project)
}, 60_000)

afterAll(async () => {
  await service.close()
  await folder.close()
})

/** What a link, or the owner, gets for a question. */
function ask(route: Route, fields: Record<string, unknown>, isLink = true, ofLink = headers) {
  const all = { project: project.name, ...fields }
  return service.call(route, {
    ...(route.body === undefined ? { query: all as Record<string, string> } : { body: all }),
    ...(isLink && { key: null, headers: ofLink }),
  })
}

async function newLink({ id }: Project): Promise<Record<string, string>> {
  const { body } = await service.call(routes.createShareLink, { id, body: {} })
  return { Authorization: `Bearer ${String(body.url).split('/').at(-1)}` }
}

type Row = Record<string, number | string | null>
async function rowsOf(fields: Record<string, unknown>, isLink = true): Promise<Row[]> {
  const { status, body } = await ask(routes.query, { count_mode: 'raw', ...fields }, isLink)
  expect([status, body.message]).toEqual([200, undefined])
  return body.rows as Row[]
}

const onDay = { date_from: DAY, date_to: DAY }
const SUM = 'sum(properties.value)'
const not = (country: string) => ({ field: 'properties.country_p', op: 'neq', value: country })
const nobody = { field: 'properties.country_p', op: 'eq', value: 'nobody' }

describe('the attacks', () => {
  test('the sum without a filter and the sum without one person do not tell the value of that person', async () => {
    const metrics = [SUM, 'event_count']
    const [all] = await rowsOf({ ...onDay, metrics })
    const [others] = await rowsOf({ ...onDay, metrics, filters: [not('LI')] })
    expect(all?.[SUM]).toBe(24 * 13.5 + 10 + TARGET_VALUE)
    expect(others).toEqual({ [SUM]: null, event_count: 0 })
    expect(await rowsOf({ ...onDay, metrics, filters: [nobody] })).toEqual([others])
  })

  test('a time zone is no filter of hours', async () => {
    for (let offset = -12; offset <= 14; offset++) {
      // The signs of these names are those of POSIX.
      const tz = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
      const asked = { ...onDay, tz, count_mode: 'raw' }
      const { status, body } = await ask(routes.query, asked)
      expect([tz, status, body.error]).toEqual([tz, 403, 'FORBIDDEN'])
      expect(body.message).toContain('Leave out `tz`')
    }
    expect(await rowsOf({ ...onDay, tz: 'UTC' })).toEqual([{ event_count: 26 }])
  })

  test('every route of a link refuses another time zone, and knows that of the project', async () => {
    const zone = 'Europe/Berlin'
    const other = await service.createProject()
    await service.call(routes.updateProject, { id: other.id, body: { timezone: zone } })
    const link = await newLink(other)
    const step = { steps: [{ event: 'order' }, { event: 'order' }] }
    const common = { property: 'plan', by: 'plan', goal: 'order', goal_event: 'order' }
    const { stats, insights, pages, sessionDistribution, breakdown, conversion, properties } = routes
    const { receivedProperties, retention, heatmap, botTraffic, query, funnel, paths } = routes
    const gets = [stats, insights, pages, sessionDistribution, breakdown, conversion, properties]
    for (const route of [...gets, receivedProperties, retention, heatmap, botTraffic, query, funnel, paths]) {
      const fields = { ...common, ...(route === funnel && step) }
      const statusOf = async (more: object) => (await ask(route, { ...fields, ...more }, true, link)).status
      expect(await statusOf({ tz: 'UTC' })).toBe(403)
      expect(await statusOf({ tz: zone })).toBe(200)
      expect(await statusOf({})).toBe(200)
    }
  })

  test('the sum of a date with one visitor is not shown, and neither is a total that has it', async () => {
    const metrics = ['event_count', SUM, 'avg(properties.value)']
    const rows = await rowsOf({
      date_from: QUIET_DAY,
      date_to: DAY,
      group_by: ['date'],
      metrics,
      order: 'asc',
    })
    expect(rows).toMatchObject([
      { date: QUIET_DAY, event_count: 1, [SUM]: null, 'avg(properties.value)': null },
      { date: DAY, event_count: 26, [SUM]: 24 * 13.5 + 10 + TARGET_VALUE },
    ])
    expect(await rowsOf({ date_from: QUIET_DAY, metrics: [SUM] })).toEqual([{ [SUM]: null }])
    const { body } = await ask(routes.query, { date_from: QUIET_DAY, metrics: [SUM] })
    expect(String(body.warnings)).toContain('five people')
  })
})

describe('others of the kind', () => {
  test('no pair of answers differs by the value of one event', async () => {
    const filters = [
      [],
      ...['LI', 'FR', 'XX'].map(country => [not(country)]),
      [not('LI'), not('LI')],
      [not('LI'), not('FR')],
      ...['free', 'pro'].map(value => [{ field: 'properties.plan', op: 'eq', value }]),
      [{ field: 'properties.plan', op: 'eq', value: 'pro' }, not('LI')],
      ...['lt', 'gte', 'neq'].map(op => [{ field: 'properties.value', op, value: TARGET_VALUE }]),
      ...['D', 'I'].map(value => [{ field: 'properties.country_p', op: 'contains', value }]),
    ]
    const ranges = [
      onDay,
      { date_from: QUIET_DAY },
      { date_from: '2026-11-18' },
      { date_from: QUIET_DAY, date_to: DAY },
    ]
    const sums = new Set<number>([0])
    for (const each of filters) {
      for (const range of each.length === 0 ? ranges : [onDay]) {
        const rows = await rowsOf({ ...range, filters: each, metrics: [SUM, 'sum(properties.salary)'] })
        for (const value of rows.flatMap(row => Object.values(row)))
          if (typeof value === 'number') sums.add(value)
      }
    }
    for (const one of sums) for (const other of sums) expect(SECRETS).not.toContain(one - other)
    expect(sums.size).toBeGreaterThan(1)
  })

  test('a property that one person has sent has no sum', async () => {
    const metrics = ['sum(properties.salary)', 'avg(properties.salary)']
    const [own] = await rowsOf({ ...onDay, metrics }, false)
    expect(own).toEqual({ 'sum(properties.salary)': 9_999, 'avg(properties.salary)': 9_999 })
    const [row] = await rowsOf({ ...onDay, metrics })
    expect(row).toEqual({ 'sum(properties.salary)': null, 'avg(properties.salary)': null })
  })

  test('a filter that leaves out one event of somebody whose other events stay is one of few people', async () => {
    // All people have an event that passes, so the numbers of people are equal.
    const fields = { ...onDay, metrics: ['event_count', 'unique_users'] }
    const filters = [{ field: 'properties.country_p', op: 'neq', value: 'FR' }]
    const [own] = await rowsOf({ ...fields, filters }, false)
    expect(own).toEqual({ event_count: 25, unique_users: 9 })
    expect(await rowsOf({ ...fields, filters })).toEqual([{ event_count: 0, unique_users: 0 }])
  })

  test('a sum of today is not shown, because it would tell what each new event adds', async () => {
    const metrics = ['event_count', 'sum(properties.today)']
    const rows = await rowsOf({ date_from: '2026-11-21', metrics })
    expect(rows).toEqual([{ event_count: 6, 'sum(properties.today)': null }])
  })

  test('hours of /stats begin with a date, and a period before ends with one', async () => {
    const hourly = await ask(routes.stats, { groupBy: 'hour', since: '2d', compare: 'previous' })
    // Two days ago at noon all 26 events of that date were over.
    expect(hourly.body.totals).toMatchObject({ total_events: 32 })
    const own = await ask(routes.stats, { groupBy: 'hour', since: '2d' }, false)
    expect(own.body.totals).toMatchObject({ total_events: 6 })
    const fields = { date_from: '1d', compare: 'previous' }
    for (const body of [hourly.body, (await ask(routes.query, fields)).body]) {
      expect((body.previous as { period: object }).period).not.toHaveProperty('until')
    }
    expect((await ask(routes.query, fields, false)).body.previous).toHaveProperty('period.until')
  })

  test('the filter of a funnel step, and the event of a report, leave out five people or nobody', async () => {
    const steps = (filters: unknown[]) => ({ steps: [{ event: 'order', filters }, { event: 'order' }] })
    const common = { since: DAY }
    const usersOf = async (filters: unknown[]) => {
      const { body } = await ask(routes.funnel, { ...common, ...steps(filters) })
      return (body.steps as { users: number }[]).map(({ users }) => users)
    }
    const neq = (value: string) => ({ property: 'country_p', op: 'neq', value })
    expect(await usersOf([])).toEqual([9, 8])
    expect(await usersOf([neq('LI')])).toEqual([0, 0])
    expect(await usersOf([{ property: 'country_p', op: 'in', value: ['DE', 'FR'] }])).toEqual([0, 0])
    expect(await usersOf([{ property: 'team', op: 'eq', value: 'a' }])).toEqual([9, 8])
  })
})
