import type { z } from 'zod'
import { events } from '#core/lake/read/relations'
import { FREE_SCANS } from '#core/lake/read/scan-strategy'
import type { Row, SqlQuery } from '#core/ports'
import { integer, sql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import { namesOf } from '#schemas/compare'
import { breakdownOfPeriod, type breakdownQuery, type breakdownResponse } from '#schemas/properties'
import { propertyOf } from '#schemas/property-names'
import { defineReport, type ReportRequest, sinceDays, toPeriod } from './run/run.ts'
import { countOfValues } from './sql/distinct.ts'
import { keyedEvents } from './sql/keyed-events.ts'
import { type ValueKey, valueKey } from './sql/value-key.ts'

export type BreakdownParams = Omit<z.output<typeof breakdownQuery>, 'project'>

/**
 * GET /breakdown (docs/api/properties.md, U33): events and users by the value of a property. A first
 * statement counts the events of each value, a second one counts the users of the listed values, because
 * counting the users of all values takes much longer.
 */
export const breakdown = defineReport<BreakdownParams, z.input<typeof breakdownResponse>>({
  range: sinceDays(7),
  compared: { fields: namesOf(breakdownOfPeriod) },
  async compute(rows, request) {
    const { read, params, project } = request
    const key = valueKey(params.property)
    const found = await rows(totalsSql(request, key))
    const listed = found.filter(row => row.value_rank !== null)
    const totalRows = sumOf(found, 'value_count')
    const areAllListed = totalRows === listed.length
    const { event } = params
    // The condition on the listed values is as cheap for a column, and two conditions take longer than one.
    const mayHaveValue = areAllListed || key.json !== undefined
    const keyed = keyedEvents(read, key, ['user_id'], { event, mayHaveValue })
    const users = await countOfValues(rows, {
      relation: sql`(SELECT value_key AS value, user_id FROM ${keyed} AS event_key)`,
      entity: textKey(sql`user_id`),
      events: sql`1`,
      listed: listed.map(row => ({ ...row, value: key.ofValue(String(row.value)) })),
      areAllListed,
      order: key.value(sql`value`),
    })
    const values = listed.map((row, i) => ({
      value: String(row.value),
      count: Number(row.total),
      unique_users: users[i] ?? 0,
    }))
    return {
      project: project.name,
      period: toPeriod(request),
      property: params.property,
      event: event ?? null,
      values,
      total_events: sumOf(found, 'events'),
      total_with_property: sumOf(found, 'total'),
      ...(totalRows > values.length && { truncated: true as const, total_rows: totalRows }),
    }
  },
  namesOfEmpty: ({ event, property }, { total_with_property }) =>
    total_with_property === 0 ? { events: [event], properties: [propertyOf(property)] } : null,
})

type BreakdownRequest = ReportRequest<BreakdownParams>

/**
 * The most frequent values with their ranks, and a row with a null rank for the other values and the events
 * without a value: (value_rank, value, value_count, total, events). `total` adds up the events that have a
 * value, `events` is for the number of all events.
 *
 * - `value_total`: the events of each value.
 * - `ranked_value`: the same with the rank of each value, the most frequent first. The events without a value
 *   come last.
 * - `shown_value`: the same with a null rank for the values that the limit cuts, and for the events without a
 *   value.
 */
function totalsSql(request: BreakdownRequest, key: ValueKey): SqlQuery {
  const limit = integer(request.params.limit)
  return sql`WITH
    value_total AS (
      SELECT ${key.value(sql`value_key`)} AS value, total, events FROM (${eventsByKey(request, key)}) AS key_total),
    ranked_value AS (
      SELECT value, total, events,
        row_number() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, total DESC, value) AS frequency_rank
      FROM value_total),
    shown_value AS (
      SELECT value, total, events,
        CASE WHEN value IS NOT NULL AND frequency_rank <= ${limit} THEN frequency_rank END AS value_rank
      FROM ranked_value)
    SELECT value_rank, max(value) AS value, count(value) AS value_count,
      CAST(sum(CASE WHEN value IS NULL THEN 0 ELSE total END) AS bigint) AS total, CAST(sum(events) AS bigint) AS events
    FROM shown_value
    GROUP BY value_rank ORDER BY value_rank NULLS LAST`
}

function sumOf(rows: readonly Row[], column: 'value_count' | 'total' | 'events'): number {
  return rows.reduce((sum, row) => sum + Number(row[column] ?? 0), 0)
}

/**
 * The events of each value: (value_key, total, events). The sum of `events` is the number of all events. Of
 * the properties without a column, most events lack most. So where scans are free, one scan reads only the
 * events whose JSON names the property, and another one counts all events.
 */
function eventsByKey({ read, params: { event } }: BreakdownRequest, key: ValueKey): SqlQuery {
  const isSearched = key.json !== undefined && key.mayHaveValue !== undefined
  const hasTwoScans = isSearched && event === undefined && (read.scans ?? FREE_SCANS).countsEventsApart
  const keyed = keyedEvents(read, key, [], { event, mayHaveValue: hasTwoScans })
  const ofKeys = sql`SELECT value_key, count(*) AS total, ${hasTwoScans ? sql`CAST(0 AS bigint)` : sql`count(*)`} AS events
        FROM ${keyed} AS event_key GROUP BY value_key`
  if (!hasTwoScans) return ofKeys
  return sql`${ofKeys}
        UNION ALL
        SELECT CAST(NULL AS varchar) AS value_key, CAST(0 AS bigint) AS total, count(*) AS events
        FROM ${events(read, ['project_id'])} AS each_event`
}
