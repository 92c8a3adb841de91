import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { countEvents } from '#test/support/count-events'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

/** Returns the reads of a project over all time. */
async function readsOf(projectId: string): Promise<number | undefined> {
  const [totals] = await service.usage.totals([projectId])
  return totals?.reads
}

test('a read has the receipt as a header, and in the body when the request asks for it', async () => {
  const { name } = await service.createProject()
  const plain = await service.call(routes.stats, { query: { project: name } })
  expect(plain.headers.get('X-Footfall-Receipt')).toMatch(
    /^engine=null; rows=0; bytes=0; ms=\d+; fresh_until=null; exact=true; cost_usd=0$/,
  )
  expect(plain.body.receipt).toBe(undefined)
  const { body } = await service.call(routes.query, { body: { project: name, receipt: true, sql: 'true' } })
  expect(body).toMatchObject({ project: name, receipt: { exact: true }, sql: [{}] })
})

test('a POST takes its options from the query string too, and a dry run is not counted', async () => {
  const { id, name } = await service.createProject()
  const dry = await service.call(routes.query, { query: { dry_run: 'true' }, body: { project: name } })
  expect(dry.body).toEqual({ dry_run: true, estimate: { rows: null, bytes: null, cost_usd: null } })
  expect(await readsOf(id)).toBe(0)
  await service.call(routes.query, { body: { project: name } })
  expect(await readsOf(id)).toBe(1)
})

test('GET /account/all-sites is one read of the account and of none of its projects', async () => {
  const { id } = await service.createProject()
  const before = await service.usage.month(service.owner.id, '2026-11')
  const { status, body, headers } = await service.call(routes.allSites, { query: { period: '1d' } })
  expect(status).toBe(200)
  expect(body).toMatchObject({ scope: 'account', period: { label: '1d' }, projects: [] })
  expect(headers.get('X-Footfall-Receipt')).toContain('exact=true')
  const after = await service.usage.month(service.owner.id, '2026-11')
  expect([after.reads - before.reads, await readsOf(id)]).toEqual([1, 0])
})

test.each([
  [{ period: '2d' }, 'period'],
  [{ limit: '51' }, 'limit'],
  [{ limit: '0' }, 'limit'],
  [{ tz: 'Mars/Base' }, 'tz'],
])('GET /account/all-sites refuses %o', async (query, field) => {
  const { status, body } = await service.call(routes.allSites, { query: query as Record<string, string> })
  expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
  expect(body.message).toContain(`\`${field}\``)
})

test('GET /projects/{id}/usage has a row for each of the last days, across months, and is not counted', async () => {
  const { id, name } = await service.createProject()
  await countEvents(
    service.usage,
    { project_id: id, day: '2026-10-30', events: 5 },
    { project_id: id, day: '2026-11-21', events: 3 },
  )
  await service.call(routes.stats, { query: { project: name } })
  const { body } = await service.call(routes.readProjectUsage, { id: name, query: { days: '23' } })
  const { project, days, rows } = body as { project: string; days: number; rows: { date: string }[] }
  expect([project, days, rows.length]).toEqual([name, 23, 23])
  expect(rows.at(0)).toEqual({ date: '2026-10-30', event_count: 5, read_count: 0 })
  expect(rows.at(1)).toEqual({ date: '2026-10-31', event_count: 0, read_count: 0 })
  expect(rows.at(-1)).toEqual({ date: '2026-11-21', event_count: 3, read_count: 1 })
  expect(await readsOf(id)).toBe(1)
})

test.each(['0', '91', 'x'])('GET /projects/{id}/usage refuses days=%s', async days => {
  const { id } = await service.createProject()
  const { status, body } = await service.call(routes.readProjectUsage, { id, query: { days } })
  expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
  expect((await service.call(routes.readProjectUsage, { id })).body.days).toBe(7)
})
