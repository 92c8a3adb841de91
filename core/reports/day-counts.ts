import { eventCounts } from '#core/lake/read/relations'
import { sql } from '#core/sql/sql'
import type { Range } from '#core/time'
import type { DatedParams } from './run/asked-range.ts'
import { defineReport } from './run/run.ts'

/** Events by UTC day. */
export type DayCounts = { days: Record<string, number> }

/** The events of a project by UTC day, as other reports count them, within `range`. */
export const dayCounts = defineReport<DatedParams & { range: Range }, DayCounts>({
  range: ({ range }) => range,
  sql: ({ read }) => sql`SELECT CAST(date AS varchar) AS day, CAST(sum(event_count) AS bigint) AS events
    FROM ${eventCounts(read)} AS counted GROUP BY date ORDER BY date`,
  shape: rows => ({ days: Object.fromEntries(rows.map(({ day, events }) => [String(day), Number(events)])) }),
})
