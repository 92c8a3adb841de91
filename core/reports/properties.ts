import type { z } from 'zod'
import { activity } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import { integer, sql } from '#core/sql/sql'
import { MAX_LISTED, type propertiesQuery, type propertiesResponse } from '#schemas/properties'
import { nameOfKey } from '#schemas/property-names'
import { compareCodePoints } from './run/code-points.ts'
import { defineReport, sinceDays, toPeriod } from './run/run.ts'
import type { ReadRows } from './run/statements.ts'
import { countOfValues } from './sql/distinct.ts'
import { findNewestEvents, type Listed, readPropertyKeys } from './sql/property-keys.ts'

export type PropertiesParams = Omit<z.output<typeof propertiesQuery>, 'project'>

/** Events whose property keys are listed, the newest ones (docs/api/properties.md). */
const SAMPLE = 5_000

/** GET /properties (docs/api/properties.md): which events and property keys a project has. */
export const properties = defineReport<PropertiesParams, z.input<typeof propertiesResponse>>({
  range: sinceDays(7),
  async compute(rows, request) {
    const { project, zone, range, read } = request
    const localTimestamp = zone.isUtc ? null : zone.localTimestamp(range)
    const relation = sql`(SELECT event AS value, date, user_ref, event_count FROM ${activity(read, localTimestamp)} AS activity)`
    const [names, keys] = await Promise.all([
      readEvents(rows, relation),
      findNewestEvents(rows, read, SAMPLE).then(newest =>
        newest === null ? { listed: [], total: 0 } : readPropertyKeys(rows, newest),
      ),
    ])
    const isCut = names.total > names.listed.length || keys.total > keys.listed.length
    return {
      project: project.name,
      period: toPeriod(request),
      events: names.listed.map((row, i) => ({
        event: String(row.value),
        count: Number(row.total),
        unique_users: names.users[i] ?? 0,
        first_seen: String(row.first_seen),
        last_seen: String(row.last_seen),
      })),
      property_keys: keys.listed.toSorted(compareCodePoints).map(nameOfKey),
      ...((isCut || names.events > SAMPLE) && { truncated: true as const }),
      ...(isCut && { total_rows: names.total + keys.total }),
    }
  },
})

/**
 * The most frequent event names with their totals and dates, and the users of each. `total`: how many names
 * there are; `events`: how many events.
 */
async function readEvents(
  rows: ReadRows,
  relation: SqlQuery,
): Promise<Listed<Row> & { users: number[]; events: number }> {
  const found =
    await rows(sql`SELECT value_rank, count(*) AS value_count, max(value) AS value, CAST(sum(total) AS bigint) AS total,
      CAST(min(first_date) AS varchar) AS first_seen, CAST(max(last_date) AS varchar) AS last_seen
    FROM (SELECT *, CASE WHEN frequency_rank <= ${integer(MAX_LISTED)} THEN frequency_rank END AS value_rank
      FROM (SELECT *, row_number() OVER (ORDER BY total DESC, value) AS frequency_rank
        FROM (SELECT value, sum(event_count) AS total, min(date) AS first_date, max(date) AS last_date
          FROM ${relation} AS named_event GROUP BY value) AS named_total) AS ranked_name) AS shown_name
    GROUP BY value_rank ORDER BY value_rank NULLS LAST`)
  const listed = found.filter(({ value_rank }) => value_rank !== null)
  const users = await countOfValues(rows, {
    relation,
    entity: sql`user_ref`,
    events: sql`event_count`,
    listed,
    areAllListed: listed.length === found.length,
  })
  const sumOf = (column: 'value_count' | 'total') => found.reduce((sum, row) => sum + Number(row[column]), 0)
  return { listed, users, total: sumOf('value_count'), events: sumOf('total') }
}
