import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type IdentityView, NO_IDENTITY } from '#core/identity/identity-view'
import { breakdown } from '#core/reports/breakdown'
import { conversion } from '#core/reports/conversion'
import { events as eventsReport } from '#core/reports/events'
import { funnel } from '#core/reports/funnel/funnel'
import { heatmap } from '#core/reports/heatmap'
import { pages } from '#core/reports/pages'
import { paths } from '#core/reports/paths/paths'
import { query } from '#core/reports/query/query'
import { retention } from '#core/reports/retention/retention'
import { runReport } from '#core/reports/run/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { faultOf } from '#schemas/conditions'
import { propertySettings } from '#test/support/depth'
import { oracleStats } from '#test/support/oracle'
import { periodOf } from '#test/support/oracle/common'
import { oracleConditions } from '#test/support/oracle/conditions'
import { oracleConversion } from '#test/support/oracle/conversion'
import { oracleFunnel } from '#test/support/oracle/funnel'
import { oraclePaths } from '#test/support/oracle/paths'
import { oracleBreakdown } from '#test/support/oracle/properties'
import { oracleQuery } from '#test/support/oracle/query'
import { oracleRetention } from '#test/support/oracle/retention'
import { oracleDistribution, oracleHeatmap, oraclePages, oracleSessions } from '#test/support/oracle/sessions'
import type { TraitsOf } from '#test/support/oracle/traits'
import { condition } from '#test/support/random-conditions'
import { randomDates } from '#test/support/random-dates'
import { history, NOW } from '#test/support/random-history'
import { withSources } from '#test/support/random-sources'
import { knownTraits, randomTraits, writeTraits } from '#test/support/random-traits'
import { type ReportLake, withReportLake } from '#test/support/report-lake'

const question = fc.record({
  tz: fc.constantFrom('UTC', 'UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'),
  dates: randomDates('1d', '7d', '30d', '60d'),
  where: condition,
})
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never

const STEPS = [
  { event: 'page_view', filters: [] },
  { event: 'signup', filters: [] },
]
const PATHS = {
  ...{ goal_event: 'buy', max_steps: 5, entry_limit: 20, path_limit: 10, candidate_session_cap: 5_000 },
}
const LIMIT = 1_000
/** A rate whose condition needs sets of sessions and people beside those of the request. */
const RATE =
  'session_rate({"or":[{"session":{"field":"event","op":"eq","value":"buy"}},{"person":{"field":"channel","op":"eq","value":"direct"}}]})'

/** How often a condition left out something, and how often not all. */
const chosen = { some: 0, others: 0 }

test('every report of what a condition chooses equals the oracle of these events, sessions and people', async () => {
  await fc.assert(
    fc.asyncProperty(
      withSources(history),
      randomTraits,
      fc.array(question, { minLength: 2, maxLength: 3 }),
      async (given, sentTraits, questions) => {
        await withReportLake(given, async lake => {
          const openTraits = await writeTraits(lake.lake, sentTraits)
          for (const project of lake.projects) {
            const known = {
              identity: { ...NO_IDENTITY, openTraits },
              traitsOf: knownTraits(sentTraits, project.id),
            }
            for (const each of questions) await compare(lake, project, known, each)
          }
        })
      },
    ),
    { ...propertySettings(2, { countPerDepth: 1 }), endOnFailure: true },
  )
  expect(chosen.some).toBeGreaterThan(0)
  expect(chosen.others).toBeGreaterThan(0)
}, 1_800_000)

async function compare(
  { services, events }: ReportLake,
  project: ReportLake['projects'][number],
  { identity, traitsOf }: { identity: IdentityView; traitsOf: TraitsOf },
  { tz, dates, where }: Question,
): Promise<void> {
  expect(faultOf(where)).toBeNull()
  const request = { project: project.id, ...dates, now: NOW, tz }
  const asked = { ...dates, tz, where }
  const oracle = oracleConditions(events, request, traitsOf)
  const passing = oracle.passing(where)
  const ofSessions = oracle.ofSessions(where)
  chosen.some += Number(passing.length > 0)
  chosen.others += Number(passing.length < events.length)
  const common = { project, identity }
  const read = { ...common, query: asked }

  const { sessions: sessionTotals, ...traffic } = await runReport(stats, services, {
    ...common,
    query: { ...asked, groupBy: 'day' },
  })
  const ofStats = { ...request, groupBy: 'day' as const }
  const { sessions: _, ...expectedTraffic } = oracleStats(passing, ofStats)
  expect(traffic).toEqual(expectedTraffic)
  expect(sessionTotals).toEqual(oracleStats(ofSessions, ofStats).sessions)
  expect(await runReport(heatmap, services, read)).toEqual(oracleHeatmap(passing, request))
  expect(
    await runReport(pages, services, { ...common, query: { ...asked, type: 'both', limit: LIMIT } }),
  ).toEqual(oraclePages(ofSessions, request, { type: 'both', limit: LIMIT }))
  expect(await runReport(sessionDistribution, services, read)).toEqual(
    oracleDistribution(ofSessions, request),
  )
  expect(await runReport(sessions, services, { ...common, query: { ...asked, limit: LIMIT } })).toEqual(
    oracleSessions(ofSessions, request, { limit: LIMIT }),
  )
  const filter = { property: 'plan', limit: LIMIT }
  expect(await runReport(breakdown, services, { ...common, query: { ...asked, ...filter } })).toEqual(
    oracleBreakdown(passing, request, filter),
  )
  const listed = await runReport(eventsReport, services, { ...common, query: { ...asked, limit: LIMIT } })
  expect(listed.count).toBe(passing.length)
  const body = {
    ...{ metrics: ['event_count', 'unique_users', 'session_count'], group_by: ['event'], filters: [] },
    ...{ count_mode: 'raw' as const, order: 'desc' as const, limit: LIMIT },
  }
  expect(await runReport(query, services, { ...common, body: { ...asked, ...body } })).toMatchObject(
    oracleQuery(passing, request, body),
  )
  const bySession = { ...body, metrics: ['event_count', RATE], group_by: ['is_bounce', 'source'] }
  expect(await runReport(query, services, { ...common, body: { ...asked, ...bySession } })).toMatchObject(
    oracleQuery(passing, request, bySession, events),
  )
  const converted = { goal: 'buy', by: 'country', min_users: 1, limit: LIMIT }
  expect(
    await runReport(conversion, services, { ...common, query: { ...asked, ...converted } }),
  ).toMatchObject(oracleConversion(oracle.ofUnits(where, 'user_id'), request, converted))
  for (const count_by of ['user_id', 'session_id'] as const) {
    const way = { steps: STEPS, count_by, conversion_window_hours: 168, breakdown_limit: 10 }
    const { warnings: __, ...expected } = oracleFunnel(oracle.ofUnits(where, count_by), request, way)
    expect(await runReport(funnel, services, { ...common, body: { ...asked, ...way } })).toMatchObject(
      expected,
    )
  }
  const { entry_paths } = oraclePaths(ofSessions, request, PATHS)
  const walked = await runReport(paths, services, { ...common, body: { ...asked, ...PATHS } })
  expect(walked.entry_paths).toEqual(entry_paths)
  // The cohorts begin with the range, which has at most 61 days.
  const grid = { period: 'week' as const, cohorts: 12, ...dates }
  const { cohorts, range } = await runReport(retention, services, { ...common, query: { ...asked, ...grid } })
  const { project: id, now } = request
  const expectedGrid = oracleRetention(
    events,
    { project: id, now, tz },
    { ...grid, people: oracle.people(where) },
  )
  expect(range.from).toBe(periodOf(request).from)
  expect(cohorts).toEqual(expectedGrid.cohorts)
}
