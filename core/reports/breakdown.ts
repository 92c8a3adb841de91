import type { z } from 'zod'
import { events } from '#core/lake/relations'
import { integer, sql } from '#core/sql'
import type { breakdownQuery, breakdownResponse } from '#schemas/properties'
import { propertyValue } from './property-value.ts'
import { defineReport, sinceDays } from './run.ts'

export type BreakdownParams = Omit<z.output<typeof breakdownQuery>, 'project'>

/** GET /breakdown (contract 1.3, U33): events and users by the value of a property. */
export const breakdown = defineReport<BreakdownParams, z.input<typeof breakdownResponse>>({
  range: sinceDays(7),
  // The group of events without the property (value null) is always returned, for the totals.
  sql({ read, params: { property, event, limit } }) {
    const { fields, text } =
      property === 'country' ? { fields: ['country' as const], text: sql`country` } : propertyValue(property)
    const where = event === undefined ? sql`` : sql`WHERE event = ${event}`
    return sql`SELECT value, total, users, total_events, total_with_property, total_rows
      FROM (SELECT value, total, users, CAST(sum(total) OVER () AS bigint) AS total_events,
          CAST(sum(CASE WHEN value IS NULL THEN 0 ELSE total END) OVER () AS bigint) AS total_with_property,
          count(value) OVER () AS total_rows,
          row_number() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, total DESC, value) AS value_rank
        FROM (SELECT value, count(*) AS total, count(DISTINCT user_id) AS users
          FROM (SELECT ${text} AS value, user_id
            FROM ${events(read, [...new Set(['event', 'user_id', ...fields] as const)])} AS each_event ${where}) AS event_value
          GROUP BY value) AS value_total) AS ranked_value
      WHERE value_rank <= ${integer(limit)} OR value IS NULL
      ORDER BY value_rank`
  },
  shape(rows, { project, params: { property, event } }) {
    const values = rows
      .filter(row => row.value !== null)
      .map(row => ({ value: String(row.value), count: Number(row.total), unique_users: Number(row.users) }))
    const totalRows = Number(rows[0]?.total_rows ?? 0)
    return {
      project: project.name,
      property,
      event: event ?? null,
      values,
      total_events: Number(rows[0]?.total_events ?? 0),
      total_with_property: Number(rows[0]?.total_with_property ?? 0),
      ...(totalRows > values.length && { truncated: true as const, total_rows: totalRows }),
    }
  },
})
