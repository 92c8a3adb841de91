import type { z } from 'zod'
import { events } from '#core/lake/relations'
import type { SqlQuery } from '#core/ports'
import { integer, sql } from '#core/sql'
import type { breakdownQuery, breakdownResponse } from '#schemas/properties'
import { countOfValues, textKey } from './distinct.ts'
import { propertyValue } from './property-value.ts'
import { defineReport, type ReportRequest, sinceDays } from './run.ts'

export type BreakdownParams = Omit<z.output<typeof breakdownQuery>, 'project'>

/**
 * GET /breakdown (contract 1.3, U33): events and users by the value of a property. A first statement counts the events of each value, a
 * second one counts the users of the listed values, because counting the users of all values takes much longer.
 */
export const breakdown = defineReport<BreakdownParams, z.input<typeof breakdownResponse>>({
  range: sinceDays(7),
  async compute(rows, request) {
    const { project, params } = request
    const found = await rows(totalsSql(request))
    const listed = found.filter(row => row.value !== null)
    const users = await countOfValues(rows, {
      relation: valuesSql(request, ['user_id']),
      entity: textKey(sql`user_id`),
      events: sql`1`,
      listed,
    })
    const values = listed.map((row, i) => ({
      value: String(row.value),
      count: Number(row.total),
      unique_users: users[i] ?? 0,
    }))
    const totalRows = Number(found[0]?.total_rows ?? 0)
    return {
      project: project.name,
      property: params.property,
      event: params.event ?? null,
      values,
      total_events: Number(found[0]?.total_events ?? 0),
      total_with_property: Number(found[0]?.total_with_property ?? 0),
      ...(totalRows > values.length && { truncated: true as const, total_rows: totalRows }),
    }
  },
})

type BreakdownRequest = ReportRequest<BreakdownParams>

/** (value, total, total_events, total_with_property, total_rows), the most frequent values first, and last null, for the totals. */
function totalsSql(request: BreakdownRequest): SqlQuery {
  return sql`SELECT value, total, total_events, total_with_property, total_rows
    FROM (SELECT value, total, CAST(sum(total) OVER () AS bigint) AS total_events,
        CAST(sum(CASE WHEN value IS NULL THEN 0 ELSE total END) OVER () AS bigint) AS total_with_property,
        count(value) OVER () AS total_rows,
        row_number() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, total DESC, value) AS value_rank
      FROM (SELECT value, count(*) AS total FROM ${valuesSql(request, [])} AS event_value GROUP BY value) AS value_total) AS ranked_value
    WHERE value_rank <= ${integer(request.params.limit)} OR value IS NULL
    ORDER BY value_rank`
}

/** The value of each event, and `fields` of it. */
function valuesSql({ read, params: { property, event } }: BreakdownRequest, fields: readonly 'user_id'[]) {
  const { fields: valueFields, text } =
    property === 'country' ? { fields: ['country' as const], text: sql`country` } : propertyValue(property)
  const where = event === undefined ? sql`` : sql`WHERE event = ${event}`
  const eventFields = event === undefined ? [] : (['event'] as const)
  const relation = events(read, [...new Set([...valueFields, ...eventFields, ...fields])])
  const userId = fields.length === 0 ? sql`` : sql`, user_id`
  return sql`(SELECT ${text} AS value${userId} FROM ${relation} AS each_event ${where})`
}
