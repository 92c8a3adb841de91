import type { z } from 'zod'
import { activity } from '#core/lake/relations'
import { sql } from '#core/sql'
import type { propertiesQuery, propertiesResponse } from '#schemas/properties'
import { compareCodePoints } from './code-points.ts'
import { readPropertyKeys } from './property-keys.ts'
import { defineReport, sinceDays } from './run.ts'

export type PropertiesParams = Omit<z.output<typeof propertiesQuery>, 'project'>

/** Events whose property keys are listed, the newest ones (contract 1.3). */
const SAMPLE = 5_000

/** GET /properties (contract 1.3): which events and property keys a project has. */
export const properties = defineReport<PropertiesParams, z.input<typeof propertiesResponse>>({
  range: sinceDays(7),
  async compute(rows, { project, zone, range, read }) {
    const localTimestamp = zone.isUtc ? null : zone.localTimestamp(range)
    const [eventRows, keyRows] = await Promise.all([
      rows(sql`SELECT event, CAST(sum(event_count) AS bigint) AS total, count(DISTINCT user_ref) AS users,
          CAST(min(date) AS varchar) AS first_seen, CAST(max(date) AS varchar) AS last_seen
        FROM ${activity(read, localTimestamp)} AS activity GROUP BY event ORDER BY total DESC, event`),
      readPropertyKeys(rows, read, SAMPLE),
    ])
    const total = eventRows.reduce((sum, row) => sum + Number(row.total), 0)
    const keys = new Set(keyRows.map(row => row.property_key).filter(key => key !== null))
    return {
      project: project.name,
      events: eventRows.map(row => ({
        event: String(row.event),
        count: Number(row.total),
        unique_users: Number(row.users),
        first_seen: String(row.first_seen),
        last_seen: String(row.last_seen),
      })),
      property_keys: [...keys].map(String).toSorted(compareCodePoints),
      ...(total > SAMPLE && { truncated: true as const }),
    }
  },
})
