import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import { breakdown } from '#core/reports/breakdown'
import { events } from '#core/reports/events'
import { funnel } from '#core/reports/funnel/funnel'
import { heatmap } from '#core/reports/heatmap'
import { insights } from '#core/reports/insights'
import { pages } from '#core/reports/pages'
import { paths } from '#core/reports/paths/paths'
import { properties } from '#core/reports/properties'
import { query } from '#core/reports/query/query'
import { receivedProperties } from '#core/reports/received-properties'
import { retention } from '#core/reports/retention/retention'
import { createReader, type ReadCall, receiptHeader } from '#core/reports/run/read'
import { type Report, runReport } from '#core/reports/run/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { isFileCondition } from '#core/sql/sql'
import type { LocalQueryEngine } from '#duckdb/reads/query-engine'
import { funnelBody } from '#schemas/funnel'
import { pathsBody } from '#schemas/paths'
import { queryBody } from '#schemas/query'
import { expensiveReadOptions } from '#schemas/read-options'
import { retentionQuery } from '#schemas/retention'
import { testProject } from '#test/support/account-fixtures'
import { runInBareDuckDb } from '#test/support/bare-duckdb'
import type { EventsRecord } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { recordingEngine } from '#test/trino/recording-engine'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const DAY = 86_400_000
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z', has_event_ids: true })
const NO_OPTIONS = { receipt: false, sql: false }

let folder: FolderLake
let lake: LakeSnapshot
let engine: LocalQueryEngine

/**
 * Epochs 1 and 2 are one segment, epoch 3 is another one, epoch 4 is hot. Each has three events of two users.
 */
beforeAll(async () => {
  folder = await openFolderLake()
  engine = folder.engine
  const { openLake } = await folder.build({
    epochs: [3, 2, 1, 0].map(daysAgo => [[recordOf(NOW - daysAgo * DAY)]]),
    compacted: 4,
    mergeEnds: [3],
  })
  lake = await openLake()
})
afterAll(() => folder.close())

function recordOf(at: number): EventsRecord {
  const names = ['page_view', 'signup', 'page_view']
  return {
    kind: 'events',
    project_id: project.id,
    account_id: 'acc_1',
    bucket: project.bucket,
    received_at: at,
    seq: 1,
    country: 'DE',
    events: names.map((event, i) => ({
      event,
      properties: { path: `/${i}`, plan: "o'brien", amount: i },
      user_id: `u${i % 2}`,
      session_id: `s${i % 2}`,
      timestamp: at - 60_000 * (3 - i),
      event_id: i === 0 ? `e${at}` : null,
    })),
  }
}

type Params = Record<string, unknown>

function read(
  report: unknown,
  params: Params,
  options: ReadCall['options'] = NO_OPTIONS,
  over = engine as Pick<LocalQueryEngine, 'rows'>,
) {
  const reader = createReader({
    engine: over,
    estimator: engine,
    openLake: async () => lake,
    clock: { now: () => NOW },
    freshUntil: async () => NOW - 1_000,
  })
  return reader.read({ account: 'acc_1', options }, services =>
    runReport(report as Report<Params, Record<string, unknown>>, services, { project, query: params }),
  )
}

const parse = {
  query: (body: object) => queryBody.parse({ project: 'shop', ...body }),
  funnel: (body: object) => funnelBody.parse({ project: 'shop', ...body }),
  paths: (body: object) => pathsBody.parse({ project: 'shop', ...body }),
  retention: (params: object) => retentionQuery.parse({ project: 'shop', ...params }),
}
const steps = [
  { event: 'page_view', filters: [{ property: 'plan', op: 'eq', value: "o'brien" }] },
  { event: 'signup' },
]
const expensive: [string, unknown, Params][] = [
  [
    'query',
    query,
    parse.query({
      group_by: ['properties.plan', 'date'],
      metrics: ['event_count', 'bounce_rate', 'p95(properties.amount)'],
    }),
  ],
  ['sessions by query', query, parse.query({ group_by: ['date'], metrics: ['bounce_rate', 'avg_duration'] })],
  ['funnel', funnel, parse.funnel({ steps, breakdown: 'plan' })],
  ['paths', paths, parse.paths({ goal_event: 'signup' })],
  ['retention', retention, parse.retention({})],
]
const reports: [string, unknown, Params][] = [
  ['stats', stats, { groupBy: 'day' }],
  ['stats in a zone', stats, { groupBy: 'hour', tz: 'Asia/Kolkata' }],
  ['events', events, { limit: 3 }],
  ['sessions', sessions, { limit: 2 }],
  ['session distribution', sessionDistribution, {}],
  ['pages', pages, { type: 'both', limit: 20 }],
  ['insights', insights, { period: '7d' }],
  ['heatmap', heatmap, {}],
  ['breakdown', breakdown, { property: 'plan', limit: 20 }],
  ['properties', properties, {}],
  ['received properties', receivedProperties, { sample: 5000 }],
  ...expensive,
]

test('a receipt has the engine, the rows, bytes and time of all statements, and the freshness', async () => {
  const { body, receipt } = await read(stats, { groupBy: 'day' }, { receipt: true, sql: false })
  expect(receipt).toEqual({
    engine: 'duckdb',
    rows: expect.any(Number),
    bytes: expect.any(Number),
    ms: 0,
    fresh_until: NOW - 1_000,
    exact: true,
    cost_usd: 0,
    data_from: '2026-11-15',
  })
  expect(receipt.rows).toBeGreaterThanOrEqual(12)
  expect(receipt.bytes).toBeGreaterThan(100)
  expect(body).toMatchObject({ receipt, totals: { total_events: 12 } })
  expect(receiptHeader(receipt)).toBe(
    `engine=duckdb; rows=${receipt.rows}; bytes=${receipt.bytes}; ms=0; fresh_until=${NOW - 1_000}; exact=true; cost_usd=0; data_from=2026-11-15`,
  )
})

test('all statements of a read have one place in the queue, before those of a read that began later', async () => {
  const orders: unknown[] = []
  const noting: Pick<LocalQueryEngine, 'rows'> = {
    rows: (query, options) => {
      orders.push(options?.order)
      return engine.rows(query, options)
    },
  }
  const reader = createReader({
    engine: noting,
    openLake: async () => lake,
    clock: { now: () => NOW },
  })
  const readStats = () =>
    reader.read({ account: 'acc_1', options: NO_OPTIONS }, services =>
      runReport(stats, services, { project, query: { groupBy: 'day' } }),
    )
  await readStats()
  const first = [...new Set(orders.splice(0))]
  await readStats()
  const second = [...new Set(orders)]
  expect([first.length, second.length]).toEqual([1, 1])
  expect(Number(second[0])).toBeGreaterThan(Number(first[0]))
})

test('a response that a limit has cut is not exact', async () => {
  const { receipt } = await read(sessions, { limit: 1 })
  expect(receipt.exact).toBe(false)
})

test('without options the response body is the report, with its caveats', async () => {
  const { body } = await read(stats, { groupBy: 'day', since: '3d' })
  expect(Object.keys(body)).toEqual([
    'project',
    'period',
    'totals',
    'timeSeries',
    'events',
    'sessions',
    'countries',
    'caveats',
  ])
})

describe('sql=true gives statements that return the same rows in DuckDB alone', () => {
  test.each(reports)('%s', async (_, report, params) => {
    // Packed statements are of another test (test/core/sql/packed-statement.test.ts).
    const recorder = { ...recordingEngine(engine), isFree: () => true }
    const { body } = await read(report, params, { receipt: false, sql: true }, recorder)
    const recorded = new Map(
      recorder
        .recordedStatements()
        .map(({ query: { text, params }, rows }) => [
          JSON.stringify([text, params.map(param => (isFileCondition(param) ? true : param))]),
          rows,
        ]),
    )
    const statements = body.sql ?? []
    // The lake has no copies, so the statement that looks for them finds none.
    const ofNumbers = recorder
      .recordedStatements()
      .filter(({ rows, query }) => rows.length > 0 && !query.text.includes('AS first_event_'))
    expect(ofNumbers).toHaveLength(statements.length - 1)
    for (const statement of statements) {
      const rows = recorded.get(JSON.stringify([statement.text, statement.params]))
      expect(rows).toBeDefined()
      const inBareDuckDb = await runInBareDuckDb(folder.lakeDir, statement)
      expect(sorted(inBareDuckDb)).toEqual(sorted(rows ?? []))
    }
  })
})

test('sql=true names exactly the files that each statement reads', async () => {
  const { body } = await read(stats, { groupBy: 'day', since: '1d' }, { receipt: false, sql: true })
  const { hot } = await lake.ofBucket(project.bucket)
  const files = (table: string) =>
    ['1-3-0-0', '3-4-0-0'].map(name => `segments/${table}/bucket=7/${name}.parquet`)
  // The newest segment has the events of the day before. Earlier sessions are searched in all segments.
  expect(body.sql?.map(({ tables }) => tables)).toEqual([
    { events_hot: hot, segment_event_ids: files('event-ids') },
    { events_hot: hot, segment_sessions: files('sessions') },
    { events_hot: hot, segment_activity: files('activity').slice(1) },
    { events_hot: hot, segment_activity: files('activity').slice(1) },
  ])
})

/** Statements without ORDER BY may return their rows in any order. */
function sorted(rows: readonly unknown[]): string[] {
  return rows.map(row => JSON.stringify(row)).toSorted()
}

describe('dry_run=true runs nothing and estimates rows and bytes', () => {
  test.each(expensive)('%s', async (_, report, params) => {
    const rows = async () => {
      throw new Error('a statement ran')
    }
    const options = expensiveReadOptions.parse({ dry_run: 'true', receipt: 'true' })
    const { body } = await read(report, params, options, { rows })
    expect(body).toEqual({
      dry_run: true,
      estimate: { rows: expect.any(Number), bytes: expect.any(Number), cost_usd: 0 },
      receipt: {
        ...{ engine: null, rows: 0, bytes: 0, ms: 0, fresh_until: NOW - 1_000, exact: true, cost_usd: 0 },
        data_from: null,
      },
    })
    const { receipt } = await read(report, params)
    expect('estimate' in body && body.estimate).toMatchObject({ rows: receipt.rows, bytes: receipt.bytes })
  })
})

describe('reads at the same time', () => {
  const report = sessions as unknown as Report<Params, Record<string, unknown>>
  const count = (questions: readonly [question: string, signal?: AbortSignal][]) => {
    const reader = createReader({ engine, openLake: async () => lake, clock: { now: () => NOW } })
    let runs = 0
    const results = questions.map(([question, signal], i) =>
      reader.readShared(
        { account: 'acc_1', options: NO_OPTIONS, warnings: [`of ${i}`], signal },
        async () => ({
          question,
          compute(services, runSignal) {
            runs++
            return runReport(report, services, {
              project,
              query: { limit: 2, since: '3d' },
              signal: runSignal,
            })
          },
        }),
      ),
    )
    return { results, runs: () => runs }
  }

  test('an equal question is computed once, and each response has the whole receipt and its own warnings', async () => {
    const { results, runs } = count([['a'], ['a'], ['b']])
    const [first, second, third] = await Promise.all(results)
    expect(runs()).toBe(2)
    const { warnings: ofFirst, ...body } = first!.body as Record<string, unknown>
    expect(second!.body).toEqual({ ...body, warnings: ['of 1'] })
    expect(third!.body).toEqual({ ...body, warnings: ['of 2'] })
    expect(ofFirst).toEqual(['of 0'])
    expect(second!.receipt).toEqual(first!.receipt)
    expect(first!.receipt.rows).toBeGreaterThan(0)
  })

  test('a caller that goes away leaves the others their response', async () => {
    const leaving = new AbortController()
    const { results, runs } = count([['a', leaving.signal], ['a']])
    const settled = Promise.allSettled(results)
    await new Promise(setImmediate)
    leaving.abort(new Error('gone'))
    expect(await settled).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled' }])
    expect(runs()).toBe(1)
  })
})
