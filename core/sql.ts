import type { SqlParam, SqlQuery } from './ports.ts'

/**
 * Makes a statement, or a piece of one, as a value: `sql\`SELECT … WHERE project_id = ${id}\``. A nested piece is
 * spliced in with its parameters; anything else becomes a `?`, so that no value ever enters the text. Names of
 * columns and tables are written in the template itself, or come from schemas/columns.ts by `name`.
 */
export function sql(strings: TemplateStringsArray, ...values: (SqlParam | SqlQuery)[]): SqlQuery {
  let text = strings[0] ?? ''
  const params: SqlParam[] = []
  values.forEach((value, i) => {
    if (isQuery(value)) {
      text += value.text
      params.push(...value.params)
    } else {
      text += '?'
      params.push(value)
    }
    text += strings[i + 1]
  })
  return { text, params }
}

/** Joins pieces with a separator that is written in the code, e.g. `join(filters, ' AND ')`. */
export function join(pieces: readonly SqlQuery[], separator: string): SqlQuery {
  return {
    text: pieces.map(piece => piece.text).join(separator),
    params: pieces.flatMap(piece => piece.params),
  }
}

/** A column's or table's name as a piece of SQL. Throws on anything that is not a plain lower-case name. */
export function name(identifier: string): SqlQuery {
  if (!/^[a-z_][a-z0-9_]*$/.test(identifier)) throw new Error(`not a column or table name: ${identifier}`)
  return { text: identifier, params: [] }
}

/**
 * A whole number as a literal of the text, for what prunes partitions (epoch, bucket): engines decide which files to
 * open before they look at parameters. Throws on anything else.
 */
export function integer(value: number): SqlQuery {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`)
  return { text: String(value), params: [] }
}

function isQuery(value: SqlParam | SqlQuery): value is SqlQuery {
  return typeof value === 'object' && value !== null
}
