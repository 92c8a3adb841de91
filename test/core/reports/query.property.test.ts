import fc from 'fast-check'
import { expect, test } from 'vitest'
import { query } from '#core/reports/query/query'
import { createNotes } from '#core/reports/run/notes'
import { runReport } from '#core/reports/run/run'
import { SINGLE_OPS } from '#schemas/conditions'
import { DERIVED_GROUPS } from '#schemas/query'
import { propertySettings } from '#test/support/depth'
import { oracleCounts, oracleQuery } from '#test/support/oracle/query'
import { condition } from '#test/support/random-conditions'
import { type Dates, randomDates } from '#test/support/random-dates'
import { history, NOW } from '#test/support/random-history'
import { withSources } from '#test/support/random-sources'
import { withReportLake } from '#test/support/report-lake'

const METRICS = [
  'event_count',
  'unique_users',
  'session_count',
  'bounce_rate',
  'single_page_rate',
  'avg_duration',
  ...['sum', 'min', 'max', 'p50', 'p75', 'p90', 'p95', 'p99'].map(
    statistic => `${statistic}(properties.session_count)`,
  ),
  'sum(properties.plan)',
  ...['sum', 'p50', 'unique'].map(statistic => `${statistic}(properties["a.b"])`),
  ...['unique(properties.plan)', 'unique(path)'],
]
/** Rates and numbers of random conditions. */
const rate = fc
  .tuple(fc.constantFrom('rate', 'session_rate', 'people', 'sessions'), condition)
  .map(([name, each]) => `${name}(${JSON.stringify(each)})`)
const GROUPS = [
  'event',
  'date',
  'user_id',
  'session_id',
  'country',
  'properties.path',
  'properties.plan',
  'properties.a',
  'properties["a.b"]',
  'properties["\\\\"]',
  ...DERIVED_GROUPS,
]

const filter = fc.record({
  field: fc.constantFrom(
    'event',
    'user_id',
    'session_id',
    'country',
    'date',
    'hour',
    'weekday',
    'properties.path',
    'properties.plan',
    'properties.session_count',
    'properties.a',
    'properties["/~1\\""]',
    'properties["a.b"]',
    'properties["\\\\"]',
  ),
  op: fc.constantFrom(...SINGLE_OPS),
  value: fc.constantFrom<string | number | boolean>(
    'x',
    '',
    '5',
    5,
    -0.5,
    true,
    'true',
    'a',
    'A',
    'É',
    '%',
    '\\',
    "o'brien",
    'page_view',
    'u1',
    'DE',
    '2026-11-10',
    '5.0',
    '*',
    '**e*',
    '15',
  ),
})

/** Filters of the session or the person of an event. */
const filterOfSets = fc.oneof(
  fc.record({
    field: fc.constantFrom('channel', 'source', 'referrer_host', 'entry_page', 'exit_page'),
    op: fc.constantFrom('eq' as const, 'neq' as const, 'contains' as const),
    value: fc.constantFrom('direct', 'referral', 'google', 'x', 'a', ''),
  }),
  fc.record({
    field: fc.constantFrom('is_bounce', 'is_new'),
    op: fc.constant('eq' as const),
    value: fc.boolean(),
  }),
  fc.record({
    field: fc.constant('duration'),
    op: fc.constant('gte' as const),
    value: fc.constantFrom(0, 1),
  }),
)

const request = fc.record({
  tz: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  dates: randomDates('0d', '1d', '7d', '30d', '60d'),
  metrics: fc.uniqueArray(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...METRICS) }, rate), {
    minLength: 1,
    maxLength: 3,
  }),
  group_by: fc.uniqueArray(fc.constantFrom(...GROUPS), { maxLength: 2 }),
  filters: fc.array(fc.oneof({ weight: 2, arbitrary: filter }, filterOfSets), { maxLength: 3 }),
  count_mode: fc.constantFrom('raw' as const, 'session_then_user' as const),
  order_by: fc.option(fc.constantFrom('event_count', 'unique_users', 'session_count', 'date', 'event'), {
    nil: undefined,
  }),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.constantFrom(1, 2, 1000),
})

/** The dates by the names that the specification gives them in /query. */
function namedFrom({ since, until }: Dates) {
  return { date_from: since, ...(until !== undefined && { date_to: until }) }
}

test('POST /query equals the oracle for random events, filters, groups and metrics', async () => {
  await fc.assert(
    fc.asyncProperty(
      withSources(history),
      fc.array(request, { minLength: 3, maxLength: 5 }),
      async (given, requests) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const project of projects) {
            for (const { dates, tz, ...asked } of requests) {
              const notes = createNotes()
              const body = await runReport(
                query,
                { ...services, notes },
                { project, body: { ...asked, ...namedFrom(dates), tz } },
              )
              const expected = oracleQuery(events, { project: project.id, ...dates, now: NOW, tz }, asked)
              expect(body).toMatchObject({ metrics: asked.metrics, group_by: asked.group_by })
              const { events: raw, visits } = oracleCounts(
                events,
                { project: project.id, ...dates, now: NOW, tz },
                asked,
              )
              const isTold = [...notes.warnings].some(text => text.includes(`The events are ${raw}:`))
              expect([body.count_mode, isTold]).toEqual([asked.count_mode, visits !== null && visits !== raw])
              expect({
                rows: body.rows,
                count: body.count,
                truncated: body.truncated,
                total_rows: body.total_rows,
              }).toEqual({
                truncated: undefined,
                total_rows: undefined,
                ...expected,
              })
            }
          }
        })
      },
    ),
    { ...propertySettings(1, { countPerDepth: 2 }), endOnFailure: false },
  )
}, 1_800_000)
