import fc from 'fast-check'
import { expect, test } from 'vitest'
import { heatmap } from '#core/reports/heatmap'
import { insights } from '#core/reports/insights'
import { pages } from '#core/reports/pages'
import { runReport } from '#core/reports/run/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { type SessionsParams, sessions } from '#core/reports/sessions'
import { PERIOD_LABELS } from '#schemas/fields'
import { PAGE_TYPES } from '#schemas/sessions'
import { propertySettings } from '#test/support/depth'
import {
  oracleDistribution,
  oracleHeatmap,
  oracleInsights,
  oraclePages,
  oracleSessions,
} from '#test/support/oracle/sessions'
import { randomDates } from '#test/support/random-dates'
import { history, NOW } from '#test/support/random-history'
import { type ReportLake, withReportLake } from '#test/support/report-lake'

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'] as const

const question = fc.record({
  tz: fc.constantFrom(...ZONES),
  dates: randomDates('0d', '1d', '7d', '30d', '60d'),
  period: fc.constantFrom(...PERIOD_LABELS),
  type: fc.constantFrom(...PAGE_TYPES),
  limit: fc.constantFrom(1, 2, 1000),
  filter: fc.constantFrom<{ user_id?: string; is_bounce?: number }>(
    {},
    {},
    { user_id: 'u1' },
    { is_bounce: 0 },
    { is_bounce: 1, user_id: "o'brien" },
  ),
})

test('reports on sessions and hours equal the oracle for random events in any state of compaction and any zone', async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(question, { minLength: 1, maxLength: 4 }),
      async (given, questions) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const project of projects) {
            for (const { tz, dates, period, type, limit, filter } of questions) {
              const request = { project: project.id, ...dates, now: NOW, tz }
              const range = { ...dates, tz }
              const query = { ...range, limit, ...filter }
              expect(await runReport(sessions, services, { project, query })).toEqual(
                oracleSessions(events, request, { limit, ...filter }),
              )
              const all = oracleSessions(events, request, { limit: 10_000, ...filter })
              expect(await readAllPages(services, project, query)).toEqual(all.sessions)
              expect(await runReport(sessionDistribution, services, { project, query: range })).toEqual(
                oracleDistribution(events, request),
              )
              expect(await runReport(pages, services, { project, query: { ...range, type, limit } })).toEqual(
                oraclePages(events, request, { type, limit }),
              )
              expect(await runReport(heatmap, services, { project, query: range })).toEqual(
                oracleHeatmap(events, request),
              )
              expect(await runReport(insights, services, { project, query: { period, tz } })).toMatchObject(
                oracleInsights(events, { project: project.id, now: NOW, tz }, Number.parseInt(period, 10)),
              )
            }
          }
        })
      },
    ),
    { ...propertySettings(1, { countPerDepth: 2 }), endOnFailure: false },
  )
}, 1_800_000)

/** The sessions of all pages. */
async function readAllPages(
  services: ReportLake['services'],
  project: ReportLake['projects'][number],
  query: Partial<SessionsParams>,
): Promise<unknown[]> {
  const rows: unknown[] = []
  let before: string | undefined
  do {
    const page = await runReport(sessions, services, { project, query: { ...query, before } })
    rows.push(...page.sessions)
    before = page.next_before ?? undefined
  } while (before !== undefined)
  return rows
}
