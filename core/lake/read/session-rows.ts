import type { SqlQuery } from '#core/ports'
import { sql } from '#core/sql/sql'
import { type LakeRead, withoutWhere } from './lake-read.ts'
import { events, searchStart } from './relations.ts'
import { INTERACTIVE, isBounce } from './session-rule.ts'

/**
 * The whole sessions that have an event in the range, and others: (whole_id, is_bounce, is_single_page,
 * duration_ms), from all their events before `end`, Unix ms. They come from the events, because the rollup
 * has no session_id.
 */
export function wholeSessions(read: LakeRead, end: number): SqlQuery {
  const sessionEvents = events({ ...withoutWhere(read), from: searchStart(read), to: end }, [
    'session_id',
    'timestamp',
    'event',
  ])
  return sql`(SELECT session_id AS whole_id, date_diff('millisecond', min(timestamp), max(timestamp)) AS duration_ms,
        ${isBounce(sql`max(${INTERACTIVE})`)} AS is_bounce,
        CASE WHEN sum(CASE WHEN event = 'page_view' THEN 1 ELSE 0 END) = 1 THEN 1 ELSE 0 END AS is_single_page
      FROM ${sessionEvents} AS each_event WHERE session_id IS NOT NULL GROUP BY session_id)`
}
