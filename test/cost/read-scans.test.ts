import { describe, expect, test } from 'vitest'
import type { SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import { stats } from '#core/reports/stats'
import { system } from '#cost/system'
import { memoryLakeState } from '#test/support/memory-lake-state'

/** The figures of cost/system.ts for a read, counted in the statements that GET /stats makes. */

const NOW = Date.UTC(2026, 10, 21, 12)
const DAY = 86_400_000

/** The statements of a GET /stats of 30 days of a project that is a year old, in a lake with all three tables. */
async function statementsOf(has_event_ids: boolean): Promise<SqlQuery[]> {
  const asked: SqlQuery[] = []
  const engine = {
    async rows(query: SqlQuery) {
      asked.push(query)
      // The counts by day, event and country, from which the next statement is made.
      if (!query.text.includes('grouping(')) return [{}]
      return [
        { kind: 0b011, bucket: Math.floor(NOW / DAY), value: null, total: 2 },
        { kind: 0b101, bucket: null, value: 'page_view', total: 2 },
        { kind: 0b110, bucket: null, value: 'DE', total: 2 },
      ]
    },
  }
  const project: Project = {
    ...{ id: 'proj_1', account_id: 'acc_1', name: 'one', project_token: 'aat_1', bucket: 3, has_event_ids },
    ...{ allowed_origins: '*', link_domains: [], source_scan_id: null, deleted_at: null },
    created_at: new Date(NOW - 365 * DAY).toISOString(),
  }
  const snapshot = { ...(await memoryLakeState().lake()), epoch: 300, warm: 299, cold: 47 }
  await stats(
    { engine, lakeState: { lake: async () => snapshot }, clock: { now: () => NOW } },
    { project, query: { since: '30d', days: undefined, groupBy: 'day' }, signal: undefined },
  )
  return asked
}

/** How often the statements read a table: the engine reads it anew at each place in the text. */
function scansOf(statements: readonly SqlQuery[], table: string): number {
  return statements.reduce(
    (sum, { text }) => sum + [...text.matchAll(new RegExp(`\\b${table}\\b`, 'g'))].length,
    0,
  )
}

describe.each([
  ['no', false],
  ['yes', true],
] as const)('with event_ids: %s', (eventIds, hasEventIds) => {
  test('GET /stats sends as many statements, and reads each table as often, as the model says', async () => {
    const { stats: model } = system
    const statements = await statementsOf(hasEventIds)
    expect(statements).toHaveLength(model.statements)
    expect(scansOf(statements, 'events_warm')).toBe(model.freshScans[eventIds])
    expect(scansOf(statements, 'events_hot')).toBe(model.freshScans[eventIds])
    expect(scansOf(statements, 'activity_cold')).toBe(model.activityScans)
    expect(scansOf(statements, 'sessions_cold')).toBe(model.visitsScans + model.olderScans)
    expect(scansOf(statements, 'events_cold')).toBe(0)
  })

  test('what is older than the range is looked at as far back as the model says', async () => {
    const statements = await statementsOf(hasEventIds)
    const dates = statements.flatMap(({ scans = [] }) =>
      scans.flatMap(({ table, date }) => (table === 'sessions_cold' && date ? [date] : [])),
    )
    const days = dates.map(([first, last]) => (Date.parse(last) - Date.parse(first)) / DAY + 1)
    expect(days).toHaveLength(2)
    expect(new Set(days)).toEqual(new Set([31, system.stats.olderDates]))
  })
})
