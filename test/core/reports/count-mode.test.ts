import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { routes } from '#schemas/routes'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

const DAY = 86_400_000
/** More groups than one pass counts (MAX_GROUPS of core/reports/sql/distinct.ts). */
const MANY = 70

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({ reading: { engine: folder.engine, openLake: () => built.openLake() } })
  project = await service.createProject()
  const view = (plan: string, user_id: string | null, session_id: string | null, ago = 0) => ({
    ...{ event: 'view', user_id, session_id, timestamp: NOW - ago * DAY - 60_000 },
    properties: { plan, value: 1 },
  })
  const events = [
    // 70 plans: a session of two events each.
    ...Array.from({ length: MANY }, (_, i) => Array(2).fill(view(`plan-${i}`, `u${i}`, `s${i}`))).flat(),
    // A user without a session, three times, a day before.
    ...Array(3).fill(view('free', 'ann', null, 1)),
    // One event each: here visits are events.
    ...[view('single', 'bob', null, 2), view('single', null, null, 2), view('single', 'cid', 's-cid', 2)],
    // The period before a request of one day.
    ...Array(5).fill(view('old', 'dan', 's-dan', 5)),
  ]
  built = await folder.build({ epochs: [[[recordOf(project, events)]], []], compacted: 1 })
}, 60_000)

afterAll(async () => {
  await service.close()
  await folder.close()
})

async function ask(fields: Record<string, unknown>, link?: string) {
  const { status, body } = await service.call(routes.query, {
    body: { project: project.name, date_from: '3d', ...fields },
    ...(link !== undefined && { key: null, headers: { Authorization: `Bearer ${link}` } }),
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const eq = (plan: string) => ({ field: 'properties.plan', op: 'eq', value: plan })
const note = (events: string) =>
  `\`event_count\` counts visits, because \`count_mode\` is \`session_then_user\`. The events are ${events}: send \`count_mode\` \`raw\` to count them.`

test.each<[string, Record<string, unknown>, string]>([
  ['of all events', {}, '146'],
  ['with a filter', { filters: [eq('plan-1')] }, '2'],
  ['with a filter, by date', { filters: [eq('free')], group_by: ['date'] }, '3'],
  ['by date in another zone', { group_by: ['date'], tz: 'Europe/Berlin' }, '146'],
  ['by a property, more groups than shown', { group_by: ['properties.plan'], limit: 5 }, '146'],
  ['by event, with one row', { group_by: ['event'], limit: 1 }, '146'],
  ['beside metrics of whole sessions', { metrics: ['bounce_rate', 'event_count'] }, '146'],
  ['beside sums', { metrics: ['event_count', 'sum(value)'], group_by: ['date'] }, '146'],
])('the answer of a query %s says the number of events', async (_, fields, events) => {
  const body = await ask(fields)
  expect(body.count_mode).toBe('session_then_user')
  expect(body.warnings).toContain(note(events))
})

test('the answer of a query says the number of events of the compared range, where only that has more', async () => {
  const body = await ask({ filters: [eq('old')], compare: 'previous' })
  expect(body.warnings).toContain(`Of the compared range: ${note('5')}`)
})

test.each<[string, Record<string, unknown>]>([
  ['where each visit is one event', { filters: [eq('single')] }],
  ['where nothing matches', { filters: [eq('plan-1'), eq('plan-2')] }],
  ['without event_count', { metrics: ['unique_users', 'session_count'] }],
])('the answer of a query says nothing of events %s', async (_, fields) => {
  const body = await ask(fields)
  expect(body.count_mode).toBe('session_then_user')
  expect(JSON.stringify(body.warnings ?? [])).not.toContain('count_mode')
})

test('a query that counts events says so, without a warning', async () => {
  const body = await ask({ count_mode: 'raw' })
  expect([body.count_mode, body.rows, body.warnings]).toEqual(['raw', [{ event_count: 146 }], undefined])
})

test('a share link does not learn how many events few people have', async () => {
  const created = await service.call(routes.createShareLink, { id: project.id, body: {} })
  const link = String(created.body.url).split('/').at(-1) ?? ''
  const few = await ask({ filters: [eq('plan-1')] }, link)
  expect([few.count_mode, few.rows]).toEqual(['session_then_user', [{ event_count: 0 }]])
  expect(JSON.stringify(few.warnings)).not.toContain('count_mode')
  const all = await ask({}, link)
  expect(all.warnings).toContain(note('146'))
})
