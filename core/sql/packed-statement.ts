import type { Row, SqlQuery } from '#core/ports'
import { trustedSql } from '#core/sql/sql'
import { type ResultShape, resultShape } from './result-shape.ts'
import { integer, join, sql } from './sql.ts'
import { valueOfText } from './text-value.ts'

/** A statement that can be a part of a packed one. */
export type Part = { query: SqlQuery; shape: ResultShape }

/** One statement in the place of several, and how its rows become theirs. */
export type PackedStatement = {
  query: SqlQuery
  /**
   * The rows of each part, in the order of its own ORDER BY, as the engine would have returned them alone.
   */
  unpack(rows: readonly Row[]): Row[][]
}

/** Returns null if the text of a statement does not tell its columns and order: it must run alone. */
export function partOf(query: SqlQuery): Part | null {
  const shape = resultShape(query)
  return shape && { query, shape }
}

/**
 * Packs statements into one: `SELECT 0 AS packed_part, … UNION ALL SELECT 1, …`. Each value is text
 * there, and the first row of a part has the types of its columns, which the engine alone knows. Parts with
 * fewer columns than others have NULLs in their place.
 */
export function packStatements(parts: readonly Part[]): PackedStatement {
  const width = Math.max(...parts.map(({ shape }) => shape.columns.length))
  return {
    query: join(
      parts.map((part, number) => selectPart(part, number, width)),
      ' UNION ALL ',
    ),
    unpack(rows) {
      const rowsOfPart = Map.groupBy(rows, ({ packed_part }) => Number(packed_part))
      return parts.map(({ shape }, number) => unpackRows(shape, rowsOfPart.get(number) ?? []))
    },
  }
}

/** Separates types. Those of Trino have no such character. */
const TYPE_END = ';'

function selectPart({ query, shape: { columns, orderBy } }: Part, number: number, width: number): SqlQuery {
  const texts = columns.map(column => `CAST(${column} AS varchar)`)
  const missing = Array.from({ length: width - columns.length }, () => 'CAST(NULL AS varchar)')
  const values = [...texts, ...missing].map((text, i) => `, ${text} AS packed_${i}`).join('')
  const types = columns.map(column => `typeof(${column})`).join(` || '${TYPE_END}' || `)
  const order = trustedSql(orderBy === null ? '' : `ORDER BY ${orderBy}`)
  return sql`SELECT ${integer(number)} AS packed_part, packed_place,
      CASE WHEN packed_place = 1 THEN ${trustedSql(types)} END AS packed_types${trustedSql(values)}
    FROM (SELECT ${trustedSql(columns.join(', '))}, row_number() OVER (${order}) AS packed_place
      FROM (${query}) AS part_row) AS placed_row`
}

function unpackRows({ columns }: ResultShape, rows: readonly Row[]): Row[] {
  const ordered = rows.toSorted((a, b) => Number(a.packed_place) - Number(b.packed_place))
  const types = String(ordered[0]?.packed_types ?? '')
    .toLowerCase()
    .split(TYPE_END)
    .map(type => type.replace(/\(\d*\)$/, ''))
  return ordered.map(row => Object.fromEntries(columns.map((column, i) => [column, valueAt(row, i)])))

  function valueAt(row: Row, i: number): Row[string] {
    const text = row[`packed_${i}`] ?? undefined
    return valueOfText(columns[i] as string, types[i] ?? '', text === undefined ? undefined : String(text))
  }
}
