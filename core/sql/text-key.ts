import type { SqlQuery } from '#core/ports'
import { sql } from './sql.ts'

/**
 * A hash of the text; null for null. Grouping by hashes takes two thirds of the time of grouping by texts.
 * Among a million texts, the probability that any two have the same hash is below 10^-7.
 */
export function textKey(column: SqlQuery): SqlQuery {
  return sql`xxhash64(to_utf8(${column}))`
}
