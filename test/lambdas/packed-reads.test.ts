import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { system } from '#cost/system'
import type { TableName } from '#schemas/columns'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { billedEngine, partsOf } from '#test/support/billed-engine'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService, type RequestOptions } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

/** How many statements Athena would run and bill for the reads of one call (docs/api/reads.md#u136). */

const DAY = 86_400_000

let folder: FolderLake
let service: HttpService
let billed: ReturnType<typeof billedEngine>
let built: BuiltLake
let project: Project

beforeAll(async () => {
  folder = await openFolderLake()
  billed = billedEngine(folder.engine)
  service = await openHttpService({
    reading: { engine: billed.engine, openLake: () => built.openLake() },
    isPatient: true,
  })
  project = await service.createProject()
  const events = Array.from({ length: 60 }, (_, i) => ({
    ...{ event: i % 3 === 0 ? 'signup' : 'page_view', user_id: `u${i % 7}`, session_id: `s${i}` },
    ...{ timestamp: NOW - (i % 20) * DAY - 60_000, country: i % 2 === 0 ? 'DE' : 'FR' },
    properties: { path: `/p${i % 4}`, device: 'mobile', referrer: 'https://google.com/' },
  }))
  built = await folder.build({
    epochs: [[[recordOf(project, events)]], [[recordOf(project, events.slice(0, 5), 2)]]],
    compacted: 2,
  })
})
afterAll(async () => {
  await service.close()
  await folder.close()
})

/** The reads of dashboard/views/overview/requests.ts, as the fields of a POST /reads. */
function readsOfOverview() {
  const dated = { tz: 'UTC', count_mode: 'raw', date_from: '29d' }
  const list = (field: string, filters: object[] = []) => ({
    ...{ read: 'POST /query', ...dated, filters, metrics: ['unique_users', 'event_count'] },
    ...{ group_by: [field], limit: 10 },
  })
  return [
    { read: 'GET /stats', since: '29d', tz: 'UTC', groupBy: 'day', compare: 'previous' },
    list('properties.path', [{ field: 'event', op: 'eq', value: 'page_view' }]),
    { read: 'GET /sources', since: '29d', tz: 'UTC', by: 'source', limit: 10 },
    list('country'),
    list('properties.device'),
    list('event'),
  ]
}

/** The parts of each statement that the call runs, and its body, which is that of an engine without packs. */
async function runBilled(route: Route, request: RequestOptions) {
  billed.state.bills = false
  const unpacked = await service.call(route, request)
  billed.state.bills = true
  billed.statements.length = 0
  const { status, body } = await service.call(route, request)
  expect(status).toBe(200)
  expect(body).toEqual(unpacked.body)
  return { parts: billed.statements.map(partsOf), body }
}

const week = () => ({ project: project.name, since: '7d' })

test.each([
  ['GET /stats', 'stats', {}, [2, 1]],
  ['GET /stats with a comparison', 'stats', { compare: 'previous' }, [4, 2]],
  ['GET /pages', 'pages', {}, [1]],
  ['GET /sources', 'sources', { by: 'channel' }, [1]],
  ['GET /retention', 'retention', {}, [1]],
] as const)('%s has as many statements as it has rounds', async (_, name, query, parts) => {
  const asked = name === 'retention' ? { project: project.name } : week()
  expect((await runBilled(routes[name], { query: { ...asked, ...query } })).parts).toEqual(parts)
})

test('a list of POST /query has two statements: its groups, then their numbers', async () => {
  const body = { ...week(), metrics: ['unique_users'], group_by: ['properties.path'] }
  expect((await runBilled(routes.query, { body })).parts).toEqual([1, 1])
})

test('the overview of the dashboard has two statements in a POST /reads', async () => {
  const reads = readsOfOverview()
  expect(reads).toHaveLength(system.dashboard.reads)
  const { parts, body } = await runBilled(routes.reads, { body: { project: project.name, reads } })
  expect(parts).toHaveLength(system.dashboard.statements)
  const scansOf = (table: TableName) =>
    billed.statements.flatMap(({ scans = [] }) => scans).filter(scan => scan.table === table).length
  const { sessions, activity, events } = system.dashboard.parts
  expect(scansOf('segment_sessions')).toBe(sessions)
  // One of each more looks for the first event, which the counters of this lake do not know.
  expect(scansOf('segment_activity')).toBe(activity + 1)
  expect(scansOf('segment_events')).toBe(events + 1)
  expect((body.reads as { status: number }[]).every(({ status }) => status === 200)).toBe(true)
  expect(service.logged).toEqual([])
})

test('a read that is refused, and an equal one, do not change the statements of a POST /reads', async () => {
  const reads = [{ read: 'GET /pages' }, { read: 'GET /pages', limit: 0 }, { read: 'GET /pages' }]
  const { parts, body } = await runBilled(routes.reads, { body: { ...week(), reads } })
  expect(parts).toEqual([1])
  expect((body.reads as { status: number }[]).map(({ status }) => status)).toEqual([200, 400, 200])
})

test('the receipts of a POST /reads add up to what its statements have read', async () => {
  const reads = readsOfOverview().map(read => ({ ...read, receipt: true }))
  billed.state.bytes = 0
  const { body } = await service.call(routes.reads, { body: { project: project.name, reads } })
  const lines = body.reads as { body: { receipt: { bytes: number } } }[]
  expect(billed.state.bytes).toBeGreaterThan(0)
  expect(lines.reduce((sum, line) => sum + line.body.receipt.bytes, 0)).toBe(billed.state.bytes)
})
