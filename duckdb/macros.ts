/**
 * Settings and macros with which DuckDB runs the shared SQL text. The text is Trino's dialect (Athena engine
 * v3). All differences of the engines are in this file, but the paths of JSON
 * (core/reports/sql/json-path.ts). Only functions that a statement uses have a macro.
 * Both engines have these functions with the same meaning, so they need none: date_diff on truncated values,
 * date_trunc, max_by, count(DISTINCT), FILTER, lag, UNNEST(…) AS t(x).
 */
export const dialect: readonly string[] = [
  // 7 / 2 is 3, as in Trino. GLOBAL, because otherwise only one connection would have the setting.
  'SET GLOBAL integer_division = true',
  // Trino sorts nulls last in both directions.
  "SET GLOBAL default_null_order = 'nulls_last'",
  // Keeps the footers of files in memory: a read of 60 small files takes a tenth of the time.
  'SET GLOBAL parquet_metadata_cache = true',
  'CREATE OR REPLACE MACRO bitwise_and(a, b) AS a & b',
  'CREATE OR REPLACE MACRO bitwise_left_shift(a, bits) AS a << bits',
  'CREATE OR REPLACE MACRO bitwise_right_shift(a, bits) AS a >> bits',
  // For a value that is not in the array, DuckDB's own array_position returns null and Trino's returns 0.
  'CREATE OR REPLACE MACRO array_position(a, b) AS coalesce(list_position(a, b), 0)',
  // Of lists; statements have no maps.
  'CREATE OR REPLACE MACRO cardinality(a) AS len(a)',
  'CREATE OR REPLACE MACRO element_at(a, i) AS a[i]',
  'CREATE OR REPLACE MACRO sequence(first, last) AS generate_series(first, last)',
  'CREATE OR REPLACE MACRO bitwise_or_agg(a) AS bit_or(a)',
  'CREATE OR REPLACE MACRO bitwise_not(a) AS ~a',
  'CREATE OR REPLACE MACRO bitwise_xor(a, b) AS xor(a, b)',
  // Statements use it for hexadecimal texts only.
  "CREATE OR REPLACE MACRO from_base(text, radix) AS CAST('0x' || text AS bigint)",
  // DuckDB hashes texts as they are, and takes five times as long if they are bytes.
  'CREATE OR REPLACE MACRO to_utf8(text) AS text',
  // A text with control characters is a literal of its bytes (core/sql/text-literal.ts).
  'CREATE OR REPLACE MACRO from_utf8(bytes) AS decode(bytes)',
  // Another hash than Trino's. Statements only compare the hashes of one statement. DuckDB's hash of null is
  // not null.
  'CREATE OR REPLACE MACRO xxhash64(bytes) AS CASE WHEN bytes IS NOT NULL THEN hash(bytes) END',
  // DuckDB's own function returns hexadecimal text in small letters, Trino's returns bytes. Statements only
  // write hashes as text, so it stays one: a key takes 0.51 µs of processor time, by way of bytes 0.68.
  'CREATE OR REPLACE MACRO sha256(bytes) AS system.main.sha256(bytes)',
  'CREATE OR REPLACE MACRO to_hex(hash) AS upper(hash)',
  // A JSON text is parsed where a function of it needs that, so json_parse has nothing to do. Trino's
  // function gives null for objects, arrays and null.
  'CREATE OR REPLACE MACRO json_parse(text) AS CAST(text AS json)',
  'CREATE OR REPLACE MACRO json_format(json) AS CAST(json AS varchar)',
  // The type that most values have comes first, because DuckDB parses the JSON anew for each comparison.
  `CREATE OR REPLACE MACRO json_extract_scalar(text, path) AS CASE
    WHEN json_type(text, path) = 'VARCHAR' THEN json_extract_string(text, path)
    WHEN json_type(text, path) IN ('UBIGINT', 'BIGINT', 'BOOLEAN') THEN json_extract_string(text, path)
    -- JavaScript wrote 1e+300, and DuckDB reads it back as 1e300.
    WHEN json_type(text, path) = 'DOUBLE' THEN regexp_replace(json_extract_string(text, path), 'e([0-9])', 'e+\\1')
    END`,
  // Trino's function finds the pattern anywhere in the text.
  'CREATE OR REPLACE MACRO regexp_like(text, pattern) AS regexp_matches(text, pattern)',
]
