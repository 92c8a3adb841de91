import type { FileCondition, Scan, SqlParam, SqlQuery } from '#core/ports'
import type { ColumnName, TableName } from '#schemas/columns'

/**
 * Makes a statement or a piece of one: `sql\`SELECT … WHERE project_id = ${id}\``. A nested piece brings its
 * text, parameters and scans. Any other value becomes a `?`, so that no value ever enters the text. Names of
 * columns and tables stand in the template itself, or come from schemas/columns.ts by `name`.
 */
export function sql(strings: TemplateStringsArray, ...values: (SqlParam | SqlQuery)[]): SqlQuery {
  let text = strings[0] ?? ''
  const params: SqlParam[] = []
  const scans: Scan[] = []
  values.forEach((value, i) => {
    if (isQuery(value)) {
      text += value.text
      params.push(...value.params)
      scans.push(...(value.scans ?? []))
    } else {
      text += '?'
      params.push(value)
    }
    text += strings[i + 1]
  })
  return query(text, params, scans)
}

/**
 * An instruction for DuckDB, for a common table (`WITH name AS … (SELECT …)`) that a statement uses several
 * times. Without it, DuckDB keeps all rows and columns of the table in memory. With it, DuckDB reads the
 * table again for each use, and only the columns that are used. Trino always does that, and takes the
 * instruction as a comment. The DuckDB engine (duckdb/reads/statement.ts) removes the comment signs.
 */
export const NOT_MATERIALIZED = query('/* NOT MATERIALIZED */', [], [])

/**
 * A piece of SQL that the code itself makes: names, numbers and constants, never a value of a request. No
 * other function makes SQL of a text (test/import-rules.ts).
 */
export function trustedSql(text: string): SqlQuery {
  return query(text, [], [])
}

/** Joins pieces, e.g. `join(filters, ' AND ')`. The separator must be a constant of the code. */
export function join(pieces: readonly SqlQuery[], separator: string): SqlQuery {
  return query(
    pieces.map(piece => piece.text).join(separator),
    pieces.flatMap(piece => piece.params),
    pieces.flatMap(piece => piece.scans ?? []),
  )
}

/**
 * The condition that a row of `table` is in one of the files, given by their keys. It must directly follow
 * `FROM <table> WHERE`: an engine that opens files finds there which scan they are for. It brings the scan of
 * these files, so that the rows that a statement selects and the files that an engine opens cannot differ.
 * `bucket`: another condition of the scan selects the rows of this bucket alone.
 */
export function inFiles(table: OpenTable, files: readonly string[], bucket?: number): SqlQuery {
  return query('?', [{ files }], [{ table, files, ...(bucket !== undefined && { bucket }) }])
}

/** Tables without rows of persons, or whose readers hide erased ones themselves. */
export type OpenTable = 'segment_event_ids' | 'links' | 'tombstones'
/** Tables with rows of persons, also of erased ones. Only core/lake/read/raw.ts reads them. */
export type RawTable = Exclude<TableName, OpenTable>

/** The condition that a column has one of the values; never true without values. */
export function isOneOf(column: SqlQuery, values: readonly SqlParam[]): SqlQuery {
  if (values.length === 0) return query('false', [], [])
  return sql`${column} IN (${join(
    values.map(value => sql`${value}`),
    ', ',
  )})`
}

/** Whether a parameter is a condition on files. */
export function isFileCondition(param: SqlParam): param is FileCondition {
  return typeof param === 'object' && param !== null
}

/** Makes a piece of a column's or table's name. Throws on a text that is not a plain lower-case name. */
export function name(identifier: ColumnName | TableName): SqlQuery {
  if (!/^[a-z_][a-z0-9_]*$/.test(identifier)) throw new Error(`not a column or table name: ${identifier}`)
  return query(identifier, [], [])
}

/**
 * Makes a literal of a whole number, for conditions on partitions (epoch, bucket). Engines choose the files
 * before they read parameters, so a parameter would not exclude any file. Throws on any other value.
 */
export function integer(value: number): SqlQuery {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`)
  return query(String(value), [], [])
}

/**
 * Makes a literal of a bigint that is given as text, because a number holds 53 bits only. Throws on any other
 * text.
 */
export function bigint(text: string): SqlQuery {
  if (!/^-?\d{1,19}$/.test(text)) throw new Error(`not a bigint: ${text}`)
  return query(text, [], [])
}

/** Makes a literal of a UTC date, for the same reason. Throws on a text that is not YYYY-MM-DD. */
export function date(value: string): SqlQuery {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) throw new Error(`not a date: ${value}`)
  return query(`DATE '${value}'`, [], [])
}

/**
 * Makes a literal of a UTC timestamp from Unix ms: engines also choose row groups before they read
 * parameters.
 */
export function timestamp(ms: number): SqlQuery {
  const text = new Date(ms).toISOString()
  if (!/^\d{4}-/.test(text)) throw new Error(`not a year of four digits: ${text}`)
  return query(`TIMESTAMP '${text.slice(0, 10)} ${text.slice(11, 23)}'`, [], [])
}

function query(text: string, params: readonly SqlParam[], scans: readonly Scan[]): SqlQuery {
  return scans.length === 0 ? { text, params } : { text, params, scans }
}

function isQuery(value: SqlParam | SqlQuery): value is SqlQuery {
  return typeof value === 'object' && value !== null && 'text' in value
}

/** 1 where the test is true, else 0: also where it is null. */
export function bit(test: SqlQuery): SqlQuery {
  return sql`CASE WHEN ${test} THEN 1 ELSE 0 END`
}

/** Milliseconds since 1970 of an SQL timestamp that holds UTC. */
export function unixMs(column: SqlQuery): SqlQuery {
  return sql`date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', ${column})`
}
