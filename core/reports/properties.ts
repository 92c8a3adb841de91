import type { z } from 'zod'
import { activity } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { sql } from '#core/sql'
import type { propertiesQuery, propertiesResponse } from '#schemas/properties'
import { compareCodePoints } from './code-points.ts'
import { countOfValues } from './distinct.ts'
import { readPropertyKeys } from './property-keys.ts'
import { defineReport, sinceDays } from './run.ts'
import type { ReadRows } from './statements.ts'

export type PropertiesParams = Omit<z.output<typeof propertiesQuery>, 'project'>

/** Events whose property keys are listed, the newest ones (contract 1.3). */
const SAMPLE = 5_000

/** GET /properties (contract 1.3): which events and property keys a project has. */
export const properties = defineReport<PropertiesParams, z.input<typeof propertiesResponse>>({
  range: sinceDays(7),
  async compute(rows, { project, zone, range, read }) {
    const localTimestamp = zone.isUtc ? null : zone.localTimestamp(range)
    const relation = sql`(SELECT event AS value, date, user_ref, event_count FROM ${activity(read, localTimestamp)} AS activity)`
    const [{ listed, users }, keyRows] = await Promise.all([
      readEvents(rows, relation),
      readPropertyKeys(rows, read, SAMPLE),
    ])
    const total = listed.reduce((sum, row) => sum + Number(row.total), 0)
    const keys = new Set(keyRows.map(row => row.property_key).filter(key => key !== null))
    return {
      project: project.name,
      events: listed.map((row, i) => ({
        event: String(row.value),
        count: Number(row.total),
        unique_users: users[i] ?? 0,
        first_seen: String(row.first_seen),
        last_seen: String(row.last_seen),
      })),
      property_keys: [...keys].map(String).toSorted(compareCodePoints),
      ...(total > SAMPLE && { truncated: true as const }),
    }
  },
})

/** The event names with their totals and dates, the most frequent first, and the users of each. */
async function readEvents(rows: ReadRows, relation: SqlQuery): Promise<{ listed: Row[]; users: number[] }> {
  const listed = await rows(sql`SELECT value, CAST(sum(event_count) AS bigint) AS total,
      CAST(min(date) AS varchar) AS first_seen, CAST(max(date) AS varchar) AS last_seen
    FROM ${relation} AS named_event GROUP BY value ORDER BY total DESC, value`)
  const users = await countOfValues(rows, {
    relation,
    entity: sql`user_ref`,
    events: sql`event_count`,
    listed,
    areAllListed: true,
  })
  return { listed, users }
}
