import type { ColumnName, TableName } from '#schemas/columns'
import type { Scan, SqlParam, SqlQuery } from './ports.ts'

/**
 * Makes a statement, or a piece of one, as a value: `sql\`SELECT … WHERE project_id = ${id}\``. A nested piece is
 * spliced in with its parameters and scans; anything else becomes a `?`, so that no value ever enters the text. Names
 * of columns and tables are written in the template itself, or come from schemas/columns.ts by `name`.
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

/** Joins pieces with a separator that is written in the code, e.g. `join(filters, ' AND ')`. */
export function join(pieces: readonly SqlQuery[], separator: string): SqlQuery {
  return query(
    pieces.map(piece => piece.text).join(separator),
    pieces.flatMap(piece => piece.params),
    pieces.flatMap(piece => piece.scans ?? []),
  )
}

/** The piece, saying what of a table it reads. */
export function scanning(piece: SqlQuery, ...scans: Scan[]): SqlQuery {
  return query(piece.text, piece.params, [...(piece.scans ?? []), ...scans])
}

/** A column's or table's name as a piece of SQL. Throws on anything that is not a plain lower-case name. */
export function name(identifier: ColumnName | TableName): SqlQuery {
  if (!/^[a-z_][a-z0-9_]*$/.test(identifier)) throw new Error(`not a column or table name: ${identifier}`)
  return query(identifier, [], [])
}

/**
 * A whole number as a literal of the text, for what prunes partitions (epoch, bucket): engines decide which files to
 * open before they look at parameters. Throws on anything else.
 */
export function integer(value: number): SqlQuery {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`)
  return query(String(value), [], [])
}

/** A UTC date as a literal, for the same reason. Takes YYYY-MM-DD and throws on anything else. */
export function date(value: string): SqlQuery {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) throw new Error(`not a date: ${value}`)
  return query(`DATE '${value}'`, [], [])
}

/** Unix ms as a literal of a timestamp that holds UTC: row groups are pruned by it before parameters are known. */
export function timestamp(ms: number): SqlQuery {
  const text = new Date(ms).toISOString()
  if (!/^\d{4}-/.test(text)) throw new Error(`not a timestamp of four-digit years: ${text}`)
  return query(`TIMESTAMP '${text.slice(0, 10)} ${text.slice(11, 23)}'`, [], [])
}

function query(text: string, params: readonly SqlParam[], scans: readonly Scan[]): SqlQuery {
  return scans.length === 0 ? { text, params } : { text, params, scans }
}

function isQuery(value: SqlParam | SqlQuery): value is SqlQuery {
  return typeof value === 'object' && value !== null
}
