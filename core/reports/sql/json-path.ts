import type { SqlQuery } from '#core/ports'
import { sql, trustedSql } from '#core/sql/sql'

/**
 * The path of a key of a JSON object. Plain keys have one form that both engines know. For other keys Trino
 * has `$["a.b"]`, with a backslash before quotes and backslashes, and DuckDB knows no such form. It has JSON
 * pointers, `/a.b`, with `~0` for `~` and `~1` for `/`; its own `$."a.b"` has other meanings for `*` and for
 * an empty key. Both paths are values, so nothing in a key can end them. Each engine computes the choice when
 * it plans the statement. A macro that changed the path would cost every plain key 1.5 ms of planning.
 */
export function jsonPath(key: string): SqlQuery {
  // The pattern allows no character that would end the text or the path.
  if (/^\w+$/.test(key)) return trustedSql(`'$.${key}'`)
  const ofTrino = `$["${key.replace(/["\\]/g, '\\$&')}"]`
  const ofDuckDb = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return sql`CASE WHEN ${IS_TRINO} THEN ${ofTrino} ELSE ${ofDuckDb} END`
}

/** DuckDB writes the names of types in capitals. */
const IS_TRINO = sql`typeof(1) = 'integer'`
