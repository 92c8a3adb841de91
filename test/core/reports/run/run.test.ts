import { expect, onTestFinished, test, vi } from 'vitest'
import type { QueryEngine, Row, SqlQuery } from '#core/ports'
import type { RangeParams } from '#core/reports/run/range'
import { defineReport, type ReportCall, runReport, sinceDays } from '#core/reports/run/run'
import { sql } from '#core/sql/sql'
import { testProject } from '#test/support/account-fixtures'
import { fixedLake, EMPTY_SNAPSHOT as snapshot } from '#test/support/fixed-lake'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const DAY = 86_400_000
const lake = fixedLake()
const project = testProject({ bucket: 7, created_at: '2026-01-01T00:00:00Z' })

type Options = Parameters<QueryEngine['rows']>[1]
type Params = RangeParams & { event?: string; limit?: number }

/** A report of one statement. Its body shows what `sql` and `shape` were given. */
const report = defineReport<Params, unknown>({
  range: sinceDays(7),
  sql: ({ params }) => sql`SELECT ${params.event ?? null}`,
  shape: (rows, { project, params, now, range, read }) => ({
    rows,
    name: project.name,
    params,
    now,
    range,
    read,
  }),
})

async function run(call: Omit<ReportCall<Params>, 'project'>, created_at = project.created_at) {
  const calls: { query: SqlQuery; options: Options }[] = []
  const engine = {
    async rows(query: SqlQuery, options: Options): Promise<Row[]> {
      calls.push({ query, options })
      return [{ count: 5 }]
    },
  }
  const services = { engine, openLake: async () => lake, clock: { now: () => NOW } }
  const body = await runReport(report, services, { project: { ...project, created_at }, ...call })
  return { body, calls }
}

test('a report of one statement shapes the rows of its `sql`', async () => {
  const { body, calls } = await run({ query: { event: 'signup' } })
  expect(calls.map(({ query }) => query)).toEqual([sql`SELECT ${'signup'}`])
  expect(body).toMatchObject({ rows: [{ count: 5 }], name: 'shop', now: NOW })
})

test('a report gets the parameters of the query string and of the body', async () => {
  const { body } = await run({ query: { limit: 3 }, body: { event: 'signup', since: '1d' } })
  expect(body).toMatchObject({
    params: { limit: 3, event: 'signup', since: '1d' },
    range: { from: Date.parse('2026-11-17') },
  })
})

test('a statement gets the lake of the report, and stops when the caller goes away', async () => {
  const caller = new AbortController()
  const { calls } = await run({ signal: caller.signal })
  expect(calls[0]?.options?.snapshot).toBe(lake)
  expect(calls[0]?.options?.signal?.aborted).toBe(false)
  caller.abort(new Error('gone'))
  expect(calls[0]?.options?.signal?.reason).toEqual(new Error('gone'))
})

test('when a statement of a report fails, its other statements stop and the report fails with that error', async () => {
  const stopped: unknown[] = []
  const engine: QueryEngine = {
    async rows({ text }, { signal } = {}) {
      if (text === 'SELECT 0') throw new Error('too busy')
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          stopped.push(text)
          reject(signal.reason)
        })
      })
    },
  }
  const twoStatements = defineReport<Params, unknown>({
    range: sinceDays(7),
    compute: rows => Promise.all([rows(sql`SELECT 1`), rows(sql`SELECT 0`), rows(sql`SELECT 2`)]),
  })
  const services = { engine, openLake: async () => lake, clock: { now: () => NOW } }
  await expect(runReport(twoStatements, services, { project })).rejects.toThrow('too busy')
  expect(stopped).toEqual(['SELECT 1', 'SELECT 2'])
})

test('a report without `since` and `days` begins its default days before today', async () => {
  const { body } = await run({})
  expect(body).toMatchObject({ range: { from: Date.parse('2026-11-11') }, read: { snapshot } })
})

test('a report reads from 30 days before its project was created, and still knows the range that was asked for', async () => {
  const { body } = await run({ query: { days: 400 } }, '2026-11-16T10:00:00Z')
  expect(body).toMatchObject({
    range: { from: Date.parse('2026-11-18') - 400 * DAY },
    read: { from: Date.parse('2026-10-17'), to: NOW + 300_001 },
  })
})

test('a range from the year 1 on searches the offsets of a zone only where the project may have events', async () => {
  const read = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
  onTestFinished(() => read.mockRestore())
  const dated = defineReport<Params & { tz?: string }, unknown>({
    range: sinceDays(7),
    sql: ({ zone, range }) => sql`SELECT ${zone.localTimestamp(range)}`,
    shape: (_, { range }) => range.from,
  })
  const engine = { rows: async () => [] }
  const services = { engine, openLake: async () => lake, clock: { now: () => NOW } }
  await runReport(dated, services, { project, query: { since: '0001-01-01', tz: 'Europe/Berlin' } })
  // A year of dates.
  expect(read.mock.calls.length).toBeLessThan(500)
})
