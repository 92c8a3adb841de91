import fc from 'fast-check'
import { expect, test } from 'vitest'
import { query } from '#core/reports/query/query'
import { createNotes } from '#core/reports/run/notes'
import { runReport } from '#core/reports/run/run'
import { propertySettings } from '#test/support/depth'
import { oracleByCurrency, oracleQuery } from '#test/support/oracle/query'
import { history, NOW } from '#test/support/random-history'
import { withSources } from '#test/support/random-sources'
import { withReportLake } from '#test/support/report-lake'

const question = fc.record({
  tz: fc.constantFrom('UTC', 'Europe/Berlin'),
  since: fc.constantFrom('7d', '60d'),
  metrics: fc.uniqueArray(
    fc.constantFrom(
      'event_count',
      'unique_users',
      ...['sum', 'avg', 'min', 'max', 'p50', 'p90'].map(of => `${of}(properties.value)`),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  group_by: fc.uniqueArray(fc.constantFrom('event', 'date', 'properties.path', 'properties.utm_content'), {
    maxLength: 2,
  }),
  limit: fc.constantFrom(1, 3, 1000),
})

test('values of several currencies have no sum, and `by_currency` has one for each', async () => {
  let mixed = 0
  await fc.assert(
    fc.asyncProperty(
      withSources(history),
      fc.array(question, { minLength: 8, maxLength: 8 }),
      async (given, questions) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const project of projects) {
            for (const { since, tz, ...fields } of questions) {
              const asked = { ...fields, filters: [], count_mode: 'raw' as const, order: 'desc' as const }
              const notes = createNotes()
              const { by_currency, ...body } = await runReport(
                query,
                { ...services, notes },
                { project, query: { ...asked, since, tz } },
              )
              const request = { project: project.id, since, tz, now: NOW }
              expect(body).toMatchObject(oracleQuery(events, request, asked))
              const hasMoney = asked.metrics.some(metric => metric.endsWith('(properties.value)'))
              const expected = hasMoney ? oracleByCurrency(events, request, asked) : undefined
              expect(inOrder(by_currency)).toEqual(inOrder(expected))
              expect(notes.caveats.has('MIXED_CURRENCIES')).toBe(expected !== undefined)
              if (expected !== undefined) mixed++
            }
          }
        })
      },
    ),
    propertySettings(6, { countPerDepth: 6 }),
  )
  expect(mixed).toBeGreaterThan(0)
})

function inOrder(rows: readonly object[] | undefined): object[] | undefined {
  const textOf = (row: object) => JSON.stringify(Object.entries(row).toSorted())
  return rows?.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
}
