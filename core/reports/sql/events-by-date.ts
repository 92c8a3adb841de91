import type { LakeRead } from '#core/lake/read/lake-read'
import { activity, hasActivityRollup } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import type { ReadRows } from '#core/reports/run/statements'
import { sql } from '#core/sql/sql'
import { DAY_MS } from '#core/time'

/** The number of events of a UTC date, which is given by its first Unix ms. */
export type DatedEvents = { date: number; events: number }

/**
 * Counts the events of each UTC date in the rollup, newest date first, so that a report reads the events of
 * few dates. `condition` may use the columns of `activity` (core/lake/read/relations.ts). Null if only the
 * events can tell: then counting costs more than it saves.
 */
export async function countEventsByDate(
  rows: ReadRows,
  read: LakeRead,
  condition: SqlQuery = sql`true`,
): Promise<DatedEvents[] | null> {
  if (!hasActivityRollup(read)) return null
  const counts =
    await rows(sql`SELECT date_diff('day', DATE '1970-01-01', date) AS day, CAST(sum(event_count) AS bigint) AS events
    FROM ${activity(read)} AS activity WHERE ${condition} GROUP BY date ORDER BY day DESC`)
  return counts.map(({ day, events }) => ({ date: Number(day) * DAY_MS, events: Number(events) }))
}
