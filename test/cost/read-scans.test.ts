import { describe, expect, test } from 'vitest'
import type { SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import { runReport } from '#core/reports/run'
import { stats } from '#core/reports/stats'
import { system } from '#cost/system'
import { createMemoryLakeState } from '#test/support/memory-lake-state'

/** Checks the numbers of cost/system.ts for a read: it counts the statements and scans of the real GET /stats. */

const NOW = Date.UTC(2026, 10, 21, 12)
const DAY = 86_400_000

/**
 * Runs GET /stats for 30 days of a project that is a year old, on a lake with hot, warm and cold files. Returns its
 * statements.
 */
async function runStats(has_event_ids: boolean): Promise<SqlQuery[]> {
  const queries: SqlQuery[] = []
  const engine = {
    async rows(query: SqlQuery) {
      queries.push(query)
      // Counts by day, event and country, which the next statement needs.
      if (!query.text.includes('grouping(')) return [{}]
      return [
        { kind: 0b011, interval_start: Math.floor(NOW / DAY), value: null, total: 2 },
        { kind: 0b101, interval_start: null, value: 'page_view', total: 2 },
        { kind: 0b110, interval_start: null, value: 'DE', total: 2 },
      ]
    },
  }
  const project: Project = {
    ...{ id: 'proj_1', account_id: 'acc_1', name: 'one', project_token: 'aat_1', bucket: 3, has_event_ids },
    ...{ allowed_origins: '*', link_domains: [], source_scan_id: null, deleted_at: null },
    created_at: new Date(NOW - 365 * DAY).toISOString(),
  }
  const snapshot = { ...(await createMemoryLakeState().lake()), epoch: 300, warm: 299, cold: 47 }
  await runReport(
    stats,
    { engine, lakeState: { lake: async () => snapshot }, clock: { now: () => NOW } },
    { project, query: { since: '30d', days: undefined, groupBy: 'day' }, signal: undefined },
  )
  return queries
}

/** Counts how often the statements read a table. The engine reads it once for each place in the text. */
function countScans(statements: readonly SqlQuery[], table: string): number {
  return statements.reduce(
    (sum, { text }) => sum + [...text.matchAll(new RegExp(`\\b${table}\\b`, 'g'))].length,
    0,
  )
}

describe.each([
  ['no', false],
  ['yes', true],
] as const)('with event_ids: %s', (eventIds, hasEventIds) => {
  test('GET /stats has at most the statements and scans of the model', async () => {
    const { stats: model } = system
    const statements = await runStats(hasEventIds)
    expect(statements.length).toBeLessThanOrEqual(model.statements)
    expect(countScans(statements, 'events_warm')).toBeLessThanOrEqual(model.hotWarmScans[eventIds])
    expect(countScans(statements, 'events_hot')).toBeLessThanOrEqual(model.hotWarmScans[eventIds])
    expect(countScans(statements, 'activity_cold')).toBeLessThanOrEqual(model.activityScans)
    expect(countScans(statements, 'sessions_cold')).toBeLessThanOrEqual(
      model.sessionsScans + model.earlierSessionScans,
    )
    expect(countScans(statements, 'events_cold')).toBe(0)
  })

  test('GET /stats looks for sessions before the range as far back as the model says', async () => {
    const statements = await runStats(hasEventIds)
    const dates = statements.flatMap(({ scans = [] }) =>
      scans.flatMap(({ table, date }) => (table === 'sessions_cold' && date ? [date] : [])),
    )
    const days = dates.map(([first, last]) => (Date.parse(last) - Date.parse(first)) / DAY + 1)
    expect(days).toHaveLength(2)
    expect(new Set(days)).toEqual(new Set([31, system.stats.earlierDates]))
  })
})
