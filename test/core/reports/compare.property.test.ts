import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DatedParams } from '#core/reports/run/asked-range'
import { type Report, runReport } from '#core/reports/run/run'
import type { Range } from '#core/time'
import { type ReportName, reports } from '#lambdas/reports/reports'
import { conversionQuery } from '#schemas/conversion'
import { funnelBody } from '#schemas/funnel'
import { queryBody } from '#schemas/query'
import { propertySettings } from '#test/support/depth'
import { shiftDate, startOfDate } from '#test/support/oracle/common'
import { history, NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const ZONE = 'Europe/Berlin'
const HOUR = 3_600_000
/** NOW is 16:42 of 2026-11-18 in the zone. */
const project = 'proj_a'
const EMPTY = { epochs: [], compacted: 1, mergeEnds: [] }

/** A request of each report that compares. */
const REQUESTS = {
  stats: { groupBy: 'day' },
  query: queryBody.parse({ project, metrics: ['event_count', 'unique_users'], group_by: ['event'] }),
  sources: { by: 'channel', goal: 'buy', limit: 3 },
  pages: { type: 'both', limit: 3 },
  sessionDistribution: {},
  breakdown: { property: 'plan', limit: 3 },
  conversion: conversionQuery.parse({ project, goal: 'buy', by: 'country' }),
  funnel: funnelBody.parse({ project, steps: [{ event: 'signup' }, { event: 'buy' }] }),
} as const

test('these reports compare, and no others', () => {
  const names = Object.entries(reports).filter(([, report]) => report.compared !== undefined)
  expect(names.map(([name]) => name).toSorted()).toEqual(Object.keys(REQUESTS).toSorted())
})

/** What is asked, and the range that is compared: dates, and for a running one the time of its end. */
type Case = { since: string; until?: string; compare: string; from: string; to: string; endsAt?: number }

const CASES: Case[] = [
  // 16:42 of a date on which Berlin has the same offset, and of one with another offset.
  { since: '6d', compare: 'previous', from: '2026-11-05', to: '2026-11-11', endsAt: NOW - 7 * 24 * HOUR },
  {
    since: '29d',
    compare: 'previous',
    from: '2026-09-20',
    to: '2026-10-19',
    endsAt: NOW - 30 * 24 * HOUR - HOUR,
  },
  { since: '6d', until: '3d', compare: 'previous', from: '2026-11-08', to: '2026-11-11' },
  { since: '6d', compare: 'year', from: '2025-11-12', to: '2025-11-18', endsAt: NOW - 365 * 24 * HOUR },
  { since: '6d', until: '1d', compare: '2026-11-02..2026-11-09', from: '2026-11-02', to: '2026-11-09' },
  { since: '0d', compare: '20d..9d', from: '2026-10-29', to: '2026-11-09', endsAt: NOW - 9 * 24 * HOUR },
]

test('`previous` is the body of the compared range, asked on its own', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom(...CASES), async (given, asked) => {
      await withReportLake(given, async ({ services, projects: [first] }) => {
        if (first === undefined) throw new Error('no project')
        const range: Range = {
          from: startOfDate(asked.from, ZONE),
          to: asked.endsAt ?? startOfDate(shiftDate(asked.to, 1), ZONE),
        }
        for (const [name, fields] of Object.entries(REQUESTS)) {
          const report = reports[name as ReportName] as unknown as Report<DatedParams, object>
          const { since, until, compare } = asked
          const query = { ...fields, since, until, tz: ZONE }
          const alone = await runReport(report, services, { project: first, query })
          const both = await runReport(report, services, { project: first, query: { ...query, compare } })
          const { previous, changes: _, ...rest } = both as Record<string, unknown>
          expect(rest, name).toEqual(alone)
          const own = await runReport({ ...report, range: () => range }, services, { project: first, query })
          const names = report.compared?.fields ?? []
          const expected = Object.entries(own).filter(([field]) => names.some(name => name === field))
          expect(previous, name).toEqual(Object.fromEntries(expected))
          expect((previous as { period: object }).period, name).toMatchObject({
            ...{ from: asked.from, to: asked.to },
            ...(asked.endsAt !== undefined && { until: new Date(asked.endsAt).toISOString() }),
          })
        }
      })
    }),
    propertySettings(4, { countPerDepth: 4 }),
  )
})

test('a share link compares whole dates, because a time of day would tell the minute of an event', async () => {
  await withReportLake(EMPTY, async ({ services, projects: [first] }) => {
    if (first === undefined) throw new Error('no project')
    for (const compare of ['previous', 'year', '20d..14d']) {
      const query = { groupBy: 'day' as const, since: '6d', compare }
      const { previous } = await runReport(
        reports.stats as never as Report<DatedParams, { previous?: { period: object } }>,
        services,
        { project: first, query, isByWholeDates: true },
      )
      expect(previous?.period).not.toHaveProperty('until')
    }
  })
})

const REFUSED = ['2026-11-02..2026-10-01', '2026-12-02..2026-12-10', '2026-11-02T10:00..2026-11-03']

test.each(REFUSED)('a comparison with %s is refused', async compare => {
  await withReportLake(EMPTY, async ({ services, projects: [first] }) => {
    if (first === undefined) throw new Error('no project')
    const query = { type: 'both' as const, limit: 3, compare }
    const error = await runReport(reports.pages, services, {
      project: first,
      query: { ...query, project },
    }).catch(e => e)
    expect([error.code, error.message]).toEqual([
      'MISSING_FIELDS',
      expect.stringMatching(/^Parameter `compare` is no range/),
    ])
  })
})
