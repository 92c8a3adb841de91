import fc from 'fast-check'
import { expect, test } from 'vitest'
import { breakdown } from '#core/reports/breakdown'
import { properties } from '#core/reports/properties'
import { receivedProperties } from '#core/reports/received-properties'
import { runReport } from '#core/reports/run/run'
import { propertySettings } from '#test/support/depth'
import { oracleBreakdown, oracleProperties, oracleReceivedProperties } from '#test/support/oracle/properties'
import { randomDates } from '#test/support/random-dates'
import { history, NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const request = fc.record({
  tz: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  dates: randomDates('0d', '1d', '7d', '30d', '60d'),
  property: fc.constantFrom(
    'path',
    'url',
    'session_count',
    'plan',
    'properties',
    'a',
    '__proto__',
    'country',
    'properties["a.b"]',
    'properties["*"]',
    'properties["/~1\\""]',
    'properties[""]',
    'properties["a\\u0000b"]',
    `properties["o'brien"]`,
  ),
  event: fc.option(fc.constantFrom('page_view', 'signup', "o'brien"), { nil: undefined, freq: 2 }),
  limit: fc.constantFrom(1, 2, 1000),
  sample: fc.constantFrom(1, 3, 5_000),
})

test('breakdown and property lists equal the oracle for random events in any state of compaction', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.array(request, { minLength: 2, maxLength: 6 }), async (given, requests) => {
      await withReportLake(given, async ({ services, projects, events }) => {
        for (const project of projects) {
          for (const { tz, dates, property, event, limit, sample } of requests) {
            const asked = { project: project.id, ...dates, now: NOW, tz }
            const query = { ...dates, tz }
            const filter = { property, limit, ...(event !== undefined && { event }) }
            expect(await runReport(breakdown, services, { project, query: { ...query, ...filter } })).toEqual(
              oracleBreakdown(events, asked, filter),
            )
            expect(await runReport(properties, services, { project, query })).toEqual(
              oracleProperties(events, asked),
            )
            expect(
              await runReport(receivedProperties, services, { project, query: { ...query, sample } }),
            ).toEqual(oracleReceivedProperties(events, asked, sample))
          }
        }
      })
    }),
    { ...propertySettings(1, { countPerDepth: 2 }), endOnFailure: false },
  )
}, 1_800_000)
