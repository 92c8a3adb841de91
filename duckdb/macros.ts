/**
 * What makes DuckDB run the shared SQL text, which is Trino's (engine v3 of Athena): one file, so that a difference of
 * the engines has one place. A macro stands here when a statement uses it. What both have alike needs none: date_diff
 * on truncated sides, date_trunc, max_by, count(DISTINCT), FILTER, lag, UNNEST(…) AS t(x).
 */
export const dialect: readonly string[] = [
  // 7 / 2 is 3, as in Trino. GLOBAL, as it would else be set for one connection only.
  'SET GLOBAL integer_division = true',
  // Trino sorts nulls last in either direction.
  "SET GLOBAL default_null_order = 'nulls_last'",
  // Footers of files that were read before: a tenth of the time of a read that opens 60 small ones.
  'SET GLOBAL parquet_metadata_cache = true',
  'CREATE OR REPLACE MACRO bitwise_and(a, b) AS a & b',
  'CREATE OR REPLACE MACRO bitwise_left_shift(a, bits) AS a << bits',
  'CREATE OR REPLACE MACRO bitwise_right_shift(a, bits) AS a >> bits',
  // DuckDB's own array_position is null where the value is not in the array, Trino's is 0.
  'CREATE OR REPLACE MACRO array_position(a, b) AS coalesce(list_position(a, b), 0)',
  'CREATE OR REPLACE MACRO bitwise_or_agg(a) AS bit_or(a)',
]
