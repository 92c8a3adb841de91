import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import { STATS_GROUPS, type Stats, statsResponse } from '#schemas/stats'
import { propertySettings } from '#test/support/depth'
import { fixedLake } from '#test/support/fixed-lake'
import { oracleStats } from '#test/support/oracle'
import type { SentEvent } from '#test/support/oracle/sent-event'
import { oracleSessionList } from '#test/support/oracle/sessions'
import { history, NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const DAY = 86_400_000
const TODAY = '2026-11-18'

test('compare=previous equals the oracle of the period before, in any state of compaction', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.constantFrom(0, 1, 7, 20), async (given, days) => {
      await withReportLake(given, async ({ services, projects, events }) => {
        for (const project of projects) {
          for (const groupBy of ['day', 'week', 'month'] as const) {
            const query = { since: `${days}d`, groupBy, compare: 'previous' as const }
            const { previous, changes, ...current } = await runReport(stats, services, { project, query })
            const request = { project: project.id, now: NOW, groupBy }
            const expected = oracleStats(events, { ...request, since: query.since })
            const expectedBefore = oraclePrevious(events, project.id, days, groupBy)
            expect(current).toEqual(expected)
            expect(previous).toEqual(expectedBefore)
            expect(changes?.total_events).toMatchObject({
              current: expected.totals.total_events,
              previous: expectedBefore.totals.total_events,
              change: expected.totals.total_events - expectedBefore.totals.total_events,
            })
            expect(changes?.bounce_rate).toMatchObject({
              current: expected.sessions.bounce_rate,
              previous: expectedBefore.sessions.bounce_rate,
            })
            expect(changes?.single_page_rate).toMatchObject({
              current: expected.sessions.single_page_rate,
              previous: expectedBefore.sessions.single_page_rate,
            })
            statsResponse.parse({ ...current, previous, changes })
          }
        }
      })
    }),
    propertySettings(1, { countPerDepth: 2 }),
  )
})

/**
 * The dates before those of `Nd`, as many, the last one until the time of NOW (U61). A session belongs to the
 * date of its start, and may go on after the period.
 */
function oraclePrevious(
  events: readonly SentEvent[],
  project: string,
  days: number,
  groupBy: 'day' | 'week' | 'month',
): Omit<Stats, 'project'> {
  const end = Date.parse(TODAY) - days * DAY
  const from = isoDate(end - (days + 1) * DAY)
  const until = end - DAY + (NOW % DAY)
  const before = events.filter(({ timestamp }) => timestamp < until)
  const { project: _, ...report } = oracleStats(before, { project, since: from, now: NOW, groupBy })
  // The sessions of a range go on for two days after its last date.
  const tail = (Math.ceil(until / DAY) + 2) * DAY
  const known = events.filter(({ timestamp }) => timestamp < tail)
  const sessions = oracleSessionList(known, {
    project,
    since: `${2 * days + 1}d`,
    now: NOW,
    tz: 'UTC',
  }).filter(({ start }) => start < until)
  const users = new Set(sessions.flatMap(({ user }) => (user === null ? [] : [user])))
  const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)
  const total = sessions.length
  return {
    ...report,
    period: { from, to: isoDate(end - DAY), days: days + 1, until: new Date(until).toISOString(), groupBy },
    sessions: {
      total_sessions: total,
      bounce_rate: rounded(sessions.filter(({ isBounce }) => isBounce).length, total, 3),
      single_page_rate: rounded(sessions.filter(({ events }) => isSinglePage(events)).length, total, 3),
      avg_duration: rounded(sumOf(sessions.map(({ start, end }) => end - start)), total, 0),
      pages_per_session: rounded(sumOf(sessions.map(({ events }) => events.length)), total, 1),
      sessions_per_user: rounded(total, Math.max(1, users.size), 1),
    },
  }
}

function isSinglePage(events: readonly SentEvent[]): boolean {
  return events.filter(({ event }) => event === 'page_view').length === 1
}

/** A quotient with so many decimals, halves up, by whole numbers. */
function rounded(numerator: number, denominator: number, decimals: number): number {
  if (denominator === 0) return 0
  const scale = 10 ** decimals
  return Math.floor((2 * numerator * scale + denominator) / (2 * denominator)) / scale
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

test('by hours, the previous period has the same number of hours and ends where the current one begins', async () => {
  const bounds: string[] = []
  const engine = {
    async rows({ text }: { text: string }) {
      bounds.push(...(text.match(/TIMESTAMP '[^']+'/g) ?? []))
      return []
    },
  }
  const services = {
    engine,
    openLake: async () => fixedLake(),
    clock: { now: () => NOW },
  }
  const project = { id: 'p', name: 'p', bucket: 1, created_at: '2026-01-01T00:00:00Z', has_event_ids: false }
  const query = { since: '1d', groupBy: 'hour' as const, compare: 'previous' as const }
  const { period, previous } = await runReport(stats, services, { project, query })
  expect([period, previous?.period]).toEqual([
    {
      ...{ from: '2026-11-17', to: '2026-11-18', days: 2, running: true },
      ...{ since: '2026-11-17T15:42:17.123Z', groupBy: 'hour' },
    },
    {
      ...{ from: '2026-11-16', to: '2026-11-17', days: 2 },
      ...{ since: '2026-11-16T15:42:17.123Z', until: '2026-11-17T15:42:17.123Z', groupBy: 'hour' },
    },
  ])
  expect(bounds).toEqual(
    expect.arrayContaining(["TIMESTAMP '2026-11-16 15:42:17.123'", "TIMESTAMP '2026-11-17 15:42:17.123'"]),
  )
})

test('a previous period before the project existed is empty, and no statement looks for it', async () => {
  let statements = 0
  const engine = {
    async rows() {
      statements++
      return []
    },
  }
  const services = {
    engine,
    openLake: async () => fixedLake(),
    clock: { now: () => NOW },
  }
  const project = { id: 'p', name: 'p', bucket: 1, created_at: '2026-11-17T00:00:00Z', has_event_ids: false }
  for (const groupBy of STATS_GROUPS) {
    statements = 0
    await runReport(stats, services, { project, query: { since: '60d', groupBy } })
    const alone = statements
    statements = 0
    const query = { since: '60d', groupBy, compare: 'previous' as const }
    const { previous } = await runReport(stats, services, { project, query })
    expect(statements).toBe(alone)
    expect(previous?.totals).toEqual({ total_events: 0, unique_users: 0 })
  }
})
