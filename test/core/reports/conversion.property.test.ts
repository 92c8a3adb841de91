import fc from 'fast-check'
import { expect, test } from 'vitest'
import { conversion } from '#core/reports/conversion'
import { runReport } from '#core/reports/run/run'
import { propertySettings } from '#test/support/depth'
import { oracleConversion } from '#test/support/oracle/conversion'
import { orderedHistory } from '#test/support/ordered-history'
import { randomDates } from '#test/support/random-dates'
import { NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const request = fc.record({
  tz: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  dates: randomDates('0d', '7d', '60d'),
  goal: fc.constantFrom('signup', 'buy', 'page_view', "o'brien", 'never_sent'),
  from: fc.option(fc.constantFrom('page_view', 'signup', 'never_sent'), { nil: undefined }),
  by: fc.constantFrom(
    'country',
    'source',
    'first_source',
    'entry_page',
    'properties.channel',
    'plan',
    'session_count',
    'path',
    'properties["*"]',
  ),
  min_users: fc.constantFrom(1, 1, 2),
  limit: fc.constantFrom(1, 2, 20),
})

/** Each is asked of every history. */
const OF_SESSION = ['channel', 'referrer_host', 'exit_page', 'is_bounce']

test('GET /conversion equals the oracle for random histories, goals and groups', async () => {
  let conversions = 0
  await fc.assert(
    fc.asyncProperty(
      orderedHistory,
      fc.array(request, { minLength: 6, maxLength: 10 }),
      async (given, requests) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const project of projects) {
            const ofSession = OF_SESSION.map((by, i) => ({ ...requests[i]!, by }))
            for (const { dates, tz, ...asked } of [...requests, ...ofSession]) {
              const body = await runReport(conversion, services, {
                project,
                query: { ...asked, ...dates, tz },
              })
              const { project: _, period: __, goal, from, by, ...numbers } = body
              expect([goal, from, by]).toEqual([asked.goal, asked.from ?? null, asked.by])
              expect(numbers).toEqual(
                oracleConversion(events, { project: project.id, ...dates, now: NOW, tz }, asked),
              )
              conversions += body.converted
            }
          }
        })
      },
    ),
    { ...propertySettings(1, { countPerDepth: 4 }), endOnFailure: false },
  )
  // Users must convert, or the test proves nothing about the order of events.
  expect(conversions).toBeGreaterThan(0)
}, 1_800_000)
