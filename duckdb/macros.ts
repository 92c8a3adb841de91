/**
 * What makes DuckDB run the shared SQL text, which is Trino's: one file, so that a difference of the engines has one
 * place. A macro stands here when a statement uses it (docs: /shared/facts of the dialect in docs/decisions).
 */
export const dialect: readonly string[] = [
  // 7 / 2 is 3, as in Trino.
  'SET integer_division = true',
  // Sorting without NULLS LAST differs by engine; statements say it, and this catches one that does not.
  "SET default_null_order = 'nulls_last'",
  // Text of the shared dialect never means a time zone; casts must not depend on the machine's.
  "SET TimeZone = 'UTC'",
]
