import fc from 'fast-check'
import { expect, test } from 'vitest'
import { funnel } from '#core/reports/funnel/funnel'
import { paths } from '#core/reports/paths/paths'
import { runReport } from '#core/reports/run/run'
import { propertySettings } from '#test/support/depth'
import { periodOf } from '#test/support/oracle/common'
import { oraclePaths } from '#test/support/oracle/paths'
import { orderedHistory } from '#test/support/ordered-history'
import { randomDates } from '#test/support/random-dates'
import { NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const GOALS = ['buy', 'signup', 'page_view', '$click'] as const

const request = fc.record({
  tz: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  dates: randomDates('1d', '7d', '14d', '30d', '90d'),
  goal_event: fc.constantFrom(...GOALS, '$scroll_depth', 'never_sent'),
  max_steps: fc.integer({ min: 1, max: 5 }),
  entry_limit: fc.constantFrom(1, 2, 20),
  path_limit: fc.constantFrom(1, 2, 10),
  // The smallest cap that a request may send is 100. Smaller ones cut small histories.
  candidate_session_cap: fc.constantFrom(1, 2, 3, 5_000),
})

test('POST /paths equals the oracle for random histories, goals, bounds and caps', async () => {
  let conversions = 0
  let truncations = 0
  let later = 0
  await fc.assert(
    fc.asyncProperty(
      orderedHistory,
      fc.array(request, { minLength: 4, maxLength: 8 }),
      async (given, requests) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const project of projects) {
            for (const { dates, tz, ...asked } of requests) {
              const body = await runReport(paths, services, { project, body: { ...asked, ...dates, tz } })
              const { period, goal_event, bounds, ...rest } = body
              expect({ goal_event, ...bounds }).toEqual(asked)
              expect(period.to).toBe(periodOf({ project: project.id, ...dates, now: NOW, tz }).to)
              expect(rest).toEqual(
                oraclePaths(events, { project: project.id, ...dates, now: NOW, tz }, asked),
              )
              conversions += body.entry_paths.reduce((sum, path) => sum + path.conversions, 0)
              later += body.reached - body.entry_paths.reduce((sum, path) => sum + path.conversions, 0)
              truncations += Number(JSON.stringify(body.entry_paths).includes('"truncated"'))
            }
          }
        })
      },
    ),
    { ...propertySettings(2, { countPerDepth: 4 }), endOnFailure: false },
  )
  // The histories must convert and exceed max_steps, or the test proves nothing about either.
  expect(conversions).toBeGreaterThan(0)
  expect(truncations).toBeGreaterThan(0)
  expect(later).toBeGreaterThan(0)
}, 1_800_000)

test('as many sessions reach the goal in /paths as in /funnel', async () => {
  let reached = 0
  await fc.assert(
    fc.asyncProperty(orderedHistory, request, async (given, { max_steps, tz }) => {
      await withReportLake(given, async ({ services, projects }) => {
        for (const [project, goal_event] of projects.flatMap(each =>
          GOALS.slice(0, 2).map(goal => [each, goal] as const),
        )) {
          // All sessions and all of each: no bound of /paths leaves out one that /funnel counts.
          const dated = { since: '3650d', tz }
          const asked = { ...dated, goal_event, max_steps, entry_limit: 20, path_limit: 10 }
          const body = { ...asked, candidate_session_cap: 10_000 }
          const ways = await runReport(paths, services, { project, body })
          if (ways.truncated && ways.entry_paths.length === 20) continue
          const { steps } = await runReport(funnel, services, {
            project,
            body: {
              ...{ ...dated, count_by: 'session_id', conversion_window_hours: 24, breakdown_limit: 10 },
              steps: [{ event: goal_event }, { event: goal_event }],
              // /paths follows the sessions that have an entry page.
              where: { field: 'entry_page', op: 'exists', value: true },
            },
          })
          expect(ways.reached).toBe(steps[0]?.users)
          expect(ways.entry_paths.reduce((sum, path) => sum + path.reached, 0)).toBe(ways.reached)
          reached += ways.reached
        }
      })
    }),
    { ...propertySettings(1, { countPerDepth: 1 }), endOnFailure: true },
  )
  expect(reached).toBeGreaterThan(0)
}, 600_000)
