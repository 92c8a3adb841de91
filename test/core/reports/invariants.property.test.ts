import fc from 'fast-check'
import { expect, test } from 'vitest'
import { breakdown } from '#core/reports/breakdown'
import { funnel } from '#core/reports/funnel/funnel'
import { insights } from '#core/reports/insights'
import { pages } from '#core/reports/pages'
import { query } from '#core/reports/query/query'
import { runReport } from '#core/reports/run/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { propertySettings } from '#test/support/depth'
import { orderedHistory } from '#test/support/ordered-history'
import { withReportLake } from '#test/support/report-lake'

const request = fc.record({
  tz: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  period: fc.constantFrom('1d' as const, '7d' as const, '30d' as const),
  property: fc.constantFrom('plan', 'path', 'country'),
})

function sum<T>(rows: readonly T[], value: (row: T) => unknown): number {
  return rows.reduce((total, row) => total + Number(value(row)), 0)
}

test('reports agree with each other about events, users and sessions', async () => {
  await fc.assert(
    fc.asyncProperty(orderedHistory, request, async (given, { tz, period, property }) => {
      await withReportLake(given, async ({ services, projects }) => {
        for (const project of projects) {
          // The period of a label ends with today, so `7d` is the range of `6d`.
          const since = `${Number.parseInt(period, 10) - 1}d`
          const range = { since, tz }
          const run = { project, query: range }
          const totals = await runReport(stats, services, { project, query: { ...range, groupBy: 'day' } })
          const { total_events, unique_users } = totals.totals
          expect(sum(totals.timeSeries, row => row.total_events)).toBe(total_events)
          expect(sum(totals.countries, row => row.count)).toBe(total_events)

          const body = {
            date_from: since,
            tz,
            filters: [],
            count_mode: 'raw' as const,
            order: 'desc' as const,
            limit: 1,
          }
          const metrics = ['event_count', 'unique_users']
          const whole = await runReport(query, services, {
            project,
            body: { ...body, metrics, group_by: [] },
          })
          expect(whole.rows).toEqual([{ event_count: total_events, unique_users }])
          // With a limit of 1, the row `other` holds all other groups.
          const groupBy = property === 'country' ? 'country' : `properties.${property}`
          const limit = property === 'country' ? 1000 : 1
          const parts = await runReport(query, services, {
            project,
            body: { ...body, limit, metrics: ['event_count'], group_by: [groupBy] },
          })
          expect(sum(parts.rows, row => row.event_count)).toBe(total_events)

          const values = await runReport(breakdown, services, {
            project,
            query: { ...range, property, limit: 1000 },
          })
          expect(values.total_events).toBe(total_events)
          expect(sum(values.values, row => row.count)).toBe(values.total_with_property)

          const plan = {
            ...range,
            steps: [{ event: 'page_view' }, { event: 'signup' }],
            count_by: 'session_id' as const,
            conversion_window_hours: 24,
            breakdown: property,
            breakdown_limit: 50,
          }
          const { steps, breakdowns = [] } = await runReport(funnel, services, { project, body: plan })
          for (const [i, step] of steps.entries()) {
            expect(sum(breakdowns, group => group.steps[i]?.users)).toBe(step.users)
          }

          const { total_sessions } = totals.sessions
          const list = await runReport(sessions, services, { project, query: { ...range, limit: 1000 } })
          expect(list.sessions.length).toBe(total_sessions)
          const { distribution } = await runReport(sessionDistribution, services, run)
          expect(sum(distribution, row => row.sessions)).toBe(total_sessions)
          const { entry_pages = [], exit_pages = [] } = await runReport(pages, services, {
            project,
            query: { ...range, type: 'both', limit: 1000 },
          })
          const withPage = list.sessions.filter(session => session.entry_page !== null).length
          expect([sum(entry_pages, row => row.sessions), sum(exit_pages, row => row.sessions)]).toEqual([
            withPage,
            withPage,
          ])
          const { metrics: now } = await runReport(insights, services, {
            project,
            query: { period, tz },
          })
          expect([now.total_events.current, now.unique_users.current, now.total_sessions.current]).toEqual([
            total_events,
            unique_users,
            total_sessions,
          ])
          expect(now.bounce_rate.current).toBe(totals.sessions.bounce_rate)
          expect(now.avg_duration.current).toBe(totals.sessions.avg_duration)
        }
      })
    }),
    { ...propertySettings(1, { countPerDepth: 2 }), endOnFailure: false },
  )
}, 1_800_000)
