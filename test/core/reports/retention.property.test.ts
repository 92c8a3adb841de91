import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retention } from '#core/reports/retention/retention'
import { runReport } from '#core/reports/run/run'
import { RETENTION_PERIODS } from '#schemas/retention'
import { isDeepRun, propertySettings, repeats } from '#test/support/depth'
import { oracleRetention } from '#test/support/oracle/retention'
import { orderedHistory } from '#test/support/ordered-history'
import { randomDates } from '#test/support/random-dates'
import { NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const event = fc.option(fc.constantFrom('page_view', 'signup', 'buy', 'never_sent'), {
  nil: undefined,
  freq: 1,
})

const request = fc.record({
  tz: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  period: fc.constantFrom(...RETENTION_PERIODS),
  cohorts: fc.constantFrom(1, 5, 8, 12),
  event,
  returning_event: event,
  dates: fc.option(randomDates('0d', '7d', '30d', '60d'), { nil: {}, freq: 1 }),
})

/** Requests for each history, of which there are at least 4. */
const MAX_REQUESTS = repeats(4, { maxCount: 8 })
const MAX_CELLS = repeats(2, { countPerDepth: 3, maxCount: 6 })

/** Cells to ask for by name: those in which somebody came back, what the others are, and a whole cohort. */
function cellsOf({ cohorts }: Pick<ReturnType<typeof oracleRetention>, 'cohorts'>) {
  const cells = cohorts.flatMap(({ date, retained }) =>
    retained.flatMap((users, offset) => {
      const cell = { people_of_cohort: date, people_of_offset: offset }
      if (offset === 0) return [{ ...cell, people_dropped: false }]
      return users === 0 ? [] : [false, true].map(people_dropped => ({ ...cell, people_dropped }))
    }),
  )
  const latest = cells.toSorted((a, b) => b.people_of_offset - a.people_of_offset)
  return [...latest.slice(0, MAX_CELLS - 1), ...latest.slice(MAX_CELLS - 1).slice(-1)]
}

test('GET /retention equals the oracle for random histories, periods and events', async () => {
  let returns = 0
  const people = { whole: 0, returned: 0, dropped: 0 }
  await fc.assert(
    fc.asyncProperty(
      orderedHistory,
      fc.array(request, { minLength: 4, maxLength: MAX_REQUESTS }),
      async (given, requests) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const project of projects) {
            for (const { tz, dates, ...rest } of requests) {
              const asked = { ...rest, ...dates }
              const body = await runReport(retention, services, { project, query: { ...asked, tz } })
              const base = { project: project.id, now: NOW, tz }
              expect(body).toEqual(oracleRetention(events, base, asked))
              for (const cell of cellsOf(body)) {
                const query = { ...asked, ...cell, tz }
                const named = await runReport(retention, services, { project, query })
                expect(named).toEqual(oracleRetention(events, base, query))
                const kind =
                  cell.people_of_offset === 0 ? 'whole' : cell.people_dropped ? 'dropped' : 'returned'
                people[kind] += named.people?.length ?? 0
              }
              returns += body.cohorts.reduce(
                (sum, { retained }) => sum + retained.slice(1).reduce((all, users) => all + users, 0),
                0,
              )
            }
          }
        })
      },
    ),
    { ...propertySettings(1, { countPerDepth: 4 }), endOnFailure: false },
  )
  // Users must return, or the test proves nothing about later periods.
  expect(returns).toBeGreaterThan(0)
  const { dropped: _, ...frequent } = people
  // People who did not come back to a cell are rare: the two histories of depth 1 name none.
  const named = Object.values(isDeepRun() ? people : frequent)
  expect(Math.min(...named), JSON.stringify(people)).toBeGreaterThan(0)
}, 1_800_000)
