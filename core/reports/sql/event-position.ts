import { sql } from '#core/sql/sql'

/** The order of events: two events of one millisecond are in the order of their arrival (U5). */
export const EVENT_POSITION = sql`ROW(timestamp, lag_s, seq)`
