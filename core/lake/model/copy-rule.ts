import type { SqlParam, SqlQuery } from '#core/ports'
import { integer, sql } from '#core/sql/sql'
import { EVENT_ID_HORIZON_S } from './copies.ts'

/**
 * The rule of copies (copies.ts) as SQL, once for reads (read/hot-events.ts) and compaction
 * (duckdb/copies-sql.ts), which differ in how they join its pieces. Hot and stored rows have (event_key,
 * arrival), the arrival in Unix seconds.
 */

const HORIZON = integer(EVENT_ID_HORIZON_S)

/** The event_key without its last bit: equal for all copies of an event. */
export const PAIR = sql`event_key - event_key % 2`
/** Never true for the negative keys of events without an event_id. */
export const IS_CREDENTIALED = sql`event_key % 2 = 1`

/** The arrival of the hot row before it with the same event_key; null without one. */
export function previousArrival(order: SqlQuery): SqlQuery {
  return sql`lag(arrival) OVER (PARTITION BY event_key ORDER BY ${order}) AS previous_arrival`
}

/** Whether a hot row is a copy of the one before it. */
export const IS_COPY_OF_PREVIOUS = sql`arrival - previous_arrival <= ${HORIZON}`

/** `sql`, or what makes SQL over other kinds of rows. */
type Tag<Query> = (strings: TemplateStringsArray, ...values: (SqlParam | SqlQuery | Query)[]) => Query

/**
 * The rows that make hot ones copies, whichever came first: a stored one those with the same credential or
 * less, a hot one with a credential those without one. Join them by isCopyOfOther. `hot`: hot rows of
 * (event_key, arrival). `stored`: null without any.
 */
export function otherRows<Query>(tag: Tag<Query>, hot: Query, stored: Query | SqlQuery | null): Query {
  const ofHot = tag`SELECT event_key - 1 AS other_pair, 0 AS other_last_bit, arrival - ${HORIZON} AS from_arrival, arrival + ${HORIZON} AS until_arrival
          FROM (${hot}) AS hot_id WHERE ${IS_CREDENTIALED}`
  if (stored === null) return ofHot
  return tag`${ofHot} UNION ALL
          SELECT ${PAIR} AS other_pair, event_key % 2 AS other_last_bit, 0 AS from_arrival, arrival + ${HORIZON} AS until_arrival FROM (${stored}) AS stored_id`
}

/**
 * Whether a hot row is a copy of one of otherRows. Two comparisons, not abs(arrival - other_arrival): DuckDB
 * plans a hash join only if each condition compares a value of one side with a value of the other. Otherwise
 * an outer join is a nested loop over all pairs.
 */
export const IS_COPY_OF_OTHER = sql`other_pair = ${PAIR} AND other_last_bit >= event_key % 2
            AND until_arrival >= arrival AND from_arrival <= arrival`

/** The arrivals of those rows of a pair that came with a credential: what isReplaced needs of hot rows. */
export const WINNERS = sql`min(CASE WHEN ${IS_CREDENTIALED} THEN arrival END) AS first_winner,
        max(CASE WHEN ${IS_CREDENTIALED} THEN arrival END) AS last_winner`

/** Stored rows for IS_REPLACED. */
export function storedRows(stored: SqlQuery): SqlQuery {
  return sql`SELECT ${PAIR} AS stored_pair, event_key % 2 AS stored_last_bit, arrival AS stored_arrival FROM (${stored}) AS stored_id`
}

/** Whether hot rows of the same pair replace a stored one. */
export const IS_REPLACED = sql`stored_last_bit = 0 AND stored_arrival >= first_winner - ${HORIZON}`
