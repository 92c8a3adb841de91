import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createProjectStore } from '#core/projects/store'
import { systemClock } from '#providers/system-clock'
import { routes } from '#schemas/routes'
import { countEvents } from '#test/support/count-events'
import { eventually } from '#test/support/eventually'
import { fixedLake } from '#test/support/fixed-lake'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { openTestEngine } from '#test/support/test-engine'

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
    /^engine=null; rows=0; bytes=0; ms=\d+; fresh_until=null; exact=true; cost_usd=0; data_from=null$/,
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

/** A service with an empty lake, each of whose statements waits for `hold`. `run` has the calls. */
async function openSlowService({ hold, concurrency }: { hold(): Promise<unknown>; concurrency?: number }) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-reads-'))
  const engine = await openTestEngine({
    lakeDir: dir,
    ...(concurrency !== undefined && { concurrency }),
  })
  const own = await openHttpService({ reading: { engine, openLake: async () => fixedLake() } })
  const { runAndRead } = DuckDBConnection.prototype
  const run = vi.spyOn(DuckDBConnection.prototype, 'runAndRead').mockImplementation(async function (
    this: DuckDBConnection,
    text,
  ) {
    await hold()
    return runAndRead.call(this, text)
  })
  onTestFinished(async () => {
    run.mockRestore()
    await own.close()
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  })
  return { own, run }
}

/**
 * Waits until so many reads have opened their links. Nothing is between this step of a read and its first
 * statement, or the equal read that it joins.
 */
function untilAsked({ identity }: HttpService, count: number): Promise<void> {
  const { settledResults } = vi.spyOn(identity, 'openLinks').mock
  return eventually(() =>
    expect(settledResults.map(({ type }) => type)).toEqual(Array(count).fill('fulfilled')),
  )
}

test('ten clients with one question at once get one response, and its statements run once', async () => {
  let allJoined = Promise.resolve()
  const { own, run } = await openSlowService({ hold: () => allJoined })
  const { id, name } = await own.createProject()
  const ask = () => own.call(routes.stats, { query: { project: name, groupBy: 'hour' } })
  await ask()
  const statements = run.mock.calls.length
  expect(statements).toBeGreaterThan(2)
  allJoined = untilAsked(own, 10)
  const responses = await Promise.all(Array.from({ length: 10 }, ask))
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(run.mock.calls.length - statements).toBe(statements)
  const [totals] = await own.usage.totals([id])
  expect(totals?.reads).toBe(11)
})

test('ten different questions at once are all answered, and a caller of another account need not wait for them', async () => {
  let allWait = Promise.resolve()
  const { own } = await openSlowService({ hold: () => allWait, concurrency: 1 })
  const { name } = await own.createProject()
  const other = await own.accounts.create({ email: 'other@example.com', tier: 'pro', complimentary: true })
  const otherProject = await own.createProject(other)
  const key = await own.accounts.issueApiKey(other.id)
  let answered = 0
  allWait = untilAsked(own, 11)
  const questions = Array.from({ length: 10 }, async (_, i) => {
    const query = { project: name, property: `key_${i}` }
    const { status } = await own.call(routes.breakdown, { query })
    answered++
    return status
  })
  const query = { project: otherProject.name, property: 'path' }
  const { status } = await own.call(routes.breakdown, { key, query })
  expect([status, answered < 5]).toEqual([200, true])
  expect(await Promise.all(questions)).toEqual(Array(10).fill(200))
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

/** The projects as another process on the same state has them. */
function storeOfOtherProcess() {
  const { state, usage, scanStore: scans, now } = service
  return createProjectStore({ ...state, clock: { ...systemClock, now }, usage, scans })
}

test('a report finds a project that another process has deleted, renamed or replaced since the last report', async () => {
  const { id, name } = await service.createProject()
  const elsewhere = storeOfOtherProcess()
  const read = async (project: string) => {
    const { status, body } = await service.call(routes.stats, { query: { project } })
    const live = await service.call(routes.live, { query: { project } })
    expect(live.status).toBe(status)
    return [status, body.error ?? body.project]
  }
  expect(await read(name)).toEqual([200, name])
  await elsewhere.update({ id }, { name: `${name}-2` })
  expect(await read(name)).toEqual([404, 'NOT_FOUND'])
  expect(await read(`${name}-2`)).toEqual([200, `${name}-2`])
  expect(await read(id)).toEqual([200, `${name}-2`])
  const { project: other } = await elsewhere.create({ account: service.owner, name })
  expect(await read(name)).toEqual([200, name])
  const before = await readsOf(other.id)
  await elsewhere.remove(other)
  const { project: third } = await elsewhere.create({ account: service.owner, name })
  expect(await read(name)).toEqual([200, name])
  expect([await readsOf(other.id), await readsOf(third.id)]).toEqual([before, 2])
  await elsewhere.remove(third)
  expect(await read(name)).toEqual([404, 'NOT_FOUND'])
  await elsewhere.remove({ id })
  expect(await read(id)).toEqual([404, 'NOT_FOUND'])
})

test('a report uses the newest flags of its project, even if the chain has an older copy in its cache', async () => {
  const { id, name } = await service.createProject()
  const elsewhere = storeOfOtherProcess()
  const read = () => service.readProject({ id, name })
  await service.call(routes.stats, { query: { project: name } })
  expect((await read())?.project).toMatchObject({ has_event_ids: false, has_links: false })
  await elsewhere.noteEventIds(id)
  await elsewhere.noteLinks(id, false)
  expect((await read())?.project).toMatchObject({ has_event_ids: true, has_links: true })
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
