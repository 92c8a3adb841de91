import fc from 'fast-check'
import { expect, test } from 'vitest'
import { funnel } from '#core/reports/funnel/funnel'
import { runReport } from '#core/reports/run/run'
import { SINGLE_OPS } from '#schemas/conditions'
import { propertySettings } from '#test/support/depth'
import { type OracleStep, oracleFunnel } from '#test/support/oracle/funnel'
import { orderedHistory } from '#test/support/ordered-history'
import { randomDates } from '#test/support/random-dates'
import { NOW } from '#test/support/random-history'
import { withSources } from '#test/support/random-sources'
import { withReportLake } from '#test/support/report-lake'

const value = fc.constantFrom<string | number | boolean>(
  'pro',
  'P',
  '/a',
  '/',
  5,
  '5',
  2,
  true,
  'true',
  '+',
  '',
)

const filter: fc.Arbitrary<OracleStep['filters'][number]> = fc.oneof(
  fc.record({
    property: fc.constantFrom('plan', 'path', 'session_count', 'properties["a.b"]'),
    op: fc.constantFrom(...SINGLE_OPS),
    value,
  }),
  fc.record({
    property: fc.constantFrom('plan', 'path'),
    op: fc.constantFrom('in' as const, 'not_in' as const),
    value: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
)

const step = fc.record({
  event: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('page_view', 'signup', 'buy') },
    { weight: 1, arbitrary: fc.constantFrom('$click', "o'brien", 'never_sent') },
  ),
  filters: fc.oneof(
    { weight: 6, arbitrary: fc.constant<OracleStep['filters']>([]) },
    { weight: 1, arbitrary: fc.array(filter, { minLength: 1, maxLength: 2 }) },
  ),
})

const request = fc.record({
  tz: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  dates: randomDates('0d', '7d', '60d'),
  steps: fc.oneof(
    { weight: 4, arbitrary: fc.array(step, { minLength: 2, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.array(step, { minLength: 4, maxLength: 8 }) },
  ),
  count_by: fc.constantFrom('user_id' as const, 'session_id' as const),
  conversion_window_hours: fc.constantFrom(1, 1.5, 168, 8760),
  breakdown: fc.option(
    fc.constantFrom(
      'plan',
      'path',
      'country',
      'session_count',
      'channel',
      'source',
      'referrer_host',
      'entry_page',
      'exit_page',
      'is_bounce',
      'properties.entry_page',
      'properties["*"]',
    ),
    { nil: undefined },
  ),
  breakdown_limit: fc.constantFrom(1, 2, 50),
  people_of_step: fc.constantFrom(undefined, 1, 2),
  people_dropped: fc.constantFrom(undefined, true),
})

/** The kind of each warning, without the text around it. */
function kindOf(warning: string): string {
  const reason = ['did not occur', 'carries the id', 'in order'].find(text => warning.includes(text))
  return `${warning.split(':')[0]}: ${reason}`
}

test('POST /funnel equals the oracle for random histories, steps, filters and windows', async () => {
  let conversions = 0
  let people = 0
  await fc.assert(
    fc.asyncProperty(
      withSources(orderedHistory),
      fc.array(request, { minLength: 4, maxLength: 6 }),
      async (given, requests) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const project of projects) {
            for (const { dates, tz, ...asked } of requests) {
              const body = await runReport(funnel, services, { project, body: { ...asked, ...dates, tz } })
              const expected = oracleFunnel(events, { project: project.id, ...dates, now: NOW, tz }, asked)
              expect({ ...body, warnings: body.warnings.map(kindOf) }).toMatchObject(expected)
              expect(body.truncated).toBe(expected.truncated)
              people += body.people?.length ?? 0
              conversions += body.steps.at(-1)?.users ?? 0
            }
          }
        })
      },
    ),
    { ...propertySettings(1, { countPerDepth: 4 }), endOnFailure: false },
  )
  // The histories must convert, or the test proves nothing about order and windows.
  expect(conversions).toBeGreaterThan(0)
  expect(people).toBeGreaterThan(0)
}, 1_800_000)
