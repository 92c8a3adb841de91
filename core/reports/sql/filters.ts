import type { SqlQuery } from '#core/ports'
import { integer, join, sql, trustedSql } from '#core/sql/sql'
import type { ConditionOp } from '#schemas/conditions'

export type FilterValue = string | number | boolean

/** A JSON number, as JSON.parse reads it. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

const SYMBOLS = { eq: '=', neq: '<>', gt: '>', lt: '<', gte: '>=', lte: '<=' } as const

/**
 * What a filter compares: a built-in text column is text always, a property may be text, number or boolean.
 */
export type FilterField = {
  /** The value as text. */
  scalar: SqlQuery
  /** Whether the value is text, not a number or boolean. */
  isText: SqlQuery
  /** Not null where there is a value of any type. */
  present: SqlQuery
  /** A cheap condition that holds wherever there is a value. */
  isNamed?: SqlQuery | undefined
}

/** A column of text as a filter's field. */
export function textField(column: SqlQuery): FilterField {
  return { scalar: column, isText: sql`true`, present: column }
}

/**
 * A filter as an SQL condition (U10, U31, U32, U79): never true for a row that lacks the value, not even with
 * `neq`; only `exists` with false is about such rows. Numbers compare as numbers, text by code point;
 * `contains` ignores case. `value` is a list for `in` and `not_in` alone.
 */
export function filterSql(
  field: FilterField,
  op: ConditionOp,
  value: FilterValue | readonly FilterValue[],
): SqlQuery {
  if (op === 'exists')
    return value === false ? sql`${field.present} IS NULL` : sql`${field.present} IS NOT NULL`
  const condition = Array.isArray(value)
    ? joined(
        value.map(each => compare(field, op === 'in' ? 'eq' : 'neq', each)),
        op === 'in' ? ' OR ' : ' AND ',
      )
    : compare(field, op as SingleOp, value as FilterValue)
  return field.isNamed === undefined ? condition : sql`(${field.isNamed} AND ${condition})`
}

/** The operators with one value. */
type SingleOp = Exclude<ConditionOp, 'in' | 'not_in' | 'exists'>

function joined(conditions: readonly SqlQuery[], separator: ' OR ' | ' AND '): SqlQuery {
  return sql`(${join([...conditions], separator)})`
}

function compare(field: FilterField, op: SingleOp, value: FilterValue): SqlQuery {
  const text = String(value)
  switch (op) {
    case 'contains':
      return sql`strpos(lower(${field.scalar}), lower(${text})) > 0`
    case 'prefix':
      return sql`starts_with(${field.scalar}, ${text})`
    case 'suffix':
      // Trino has no ends_with. length and substr count code points in both engines.
      return sql`substr(${field.scalar}, length(${field.scalar}) - ${integer(Array.from(text).length)} + 1) = ${text}`
    case 'glob':
      return sql`regexp_like(${field.scalar}, ${globPattern(text)})`
    case 'eq':
    case 'neq':
      return equality(field, op, value)
    default:
      return order(field, op, value)
  }
}

/**
 * The regular expression of a glob: `*` stands for any characters but a slash, `**` for any characters. It
 * has only what Trino and DuckDB read in the same way: `\\z` ends the text, where `$` may stand before a line
 * break, and a dot may not stand for one.
 */
function globPattern(glob: string): string {
  const parts = glob.split(/(\*+)/).map(part => {
    if (part.startsWith('**')) return '(.|\\n)*'
    if (part === '*') return '[^/]*'
    return Array.from(part, each => (/[A-Za-z0-9_]/.test(each) ? each : escaped(each))).join('')
  })
  return `^${parts.join('')}\\z`
}

/** Characters without a meaning in regular expressions stand for themselves, also behind a backslash. */
function escaped(character: string): string {
  return /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character
}

/** As numbers when either side is a number and the other reads as one, else as text. */
function equality(field: FilterField, op: 'eq' | 'neq', value: FilterValue): SqlQuery {
  const text = String(value)
  const asText = sql`${field.scalar} ${symbol(op)} ${text}`
  if (!readsAsNumber(value)) return asText
  const isNumeric =
    typeof value === 'number'
      ? hasNumberForm(field.scalar)
      : sql`${hasNumberForm(field.scalar)} AND NOT ${field.isText}`
  return sql`coalesce(${asNumber(field, op, value, isNumeric)}, ${asText})`
}

/** As numbers when both sides are numbers or text that reads as one, else by code point. */
function order(field: FilterField, op: 'gt' | 'lt' | 'gte' | 'lte', value: FilterValue): SqlQuery {
  const asText = sql`${field.scalar} ${symbol(op)} ${String(value)}`
  if (!readsAsNumber(value)) return asText
  return sql`coalesce(${asNumber(field, op, value, hasNumberForm(field.scalar))}, ${asText})`
}

/** The comparison as numbers; null for a value that is not a number. */
function asNumber(
  { scalar }: FilterField,
  op: keyof typeof SYMBOLS,
  value: FilterValue,
  isNumeric: SqlQuery,
): SqlQuery {
  const literal = numberLiteral(Number(value))
  return sql`CASE WHEN ${isNumeric} THEN ${finiteNumber(scalar)} ${symbol(op)} ${literal} END`
}

/** A number beyond the largest double is not finite, so it counts as text. */
function readsAsNumber(value: FilterValue): boolean {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && JSON_NUMBER.test(value))
  return isNumeric && Number.isFinite(Number(value))
}

/** A question mark would be a parameter. */
function hasNumberForm(scalar: SqlQuery): SqlQuery {
  return sql`regexp_like(${scalar}, '^(-|)(0|[1-9][0-9]*)([.][0-9]+|)([eE]([+-]|)[0-9]+|)$')`
}

/** The text as a double; null for a number beyond the largest double, which both engines read as infinity. */
function finiteNumber(text: SqlQuery): SqlQuery {
  return sql`nullif(nullif(try_cast(${text} AS double), CAST('Infinity' AS double)), CAST('-Infinity' AS double))`
}

/** The text as a double; null for text that does not read as a finite number. */
export function numberOf(text: SqlQuery): SqlQuery {
  return sql`CASE WHEN ${hasNumberForm(text)} THEN ${finiteNumber(text)} END`
}

/** A double. As text, because Trino reads 0.5 as a decimal. */
function numberLiteral(value: number): SqlQuery {
  return sql`CAST(${String(value)} AS double)`
}

/** Symbols of this file only. */
function symbol(op: keyof typeof SYMBOLS): SqlQuery {
  return trustedSql(SYMBOLS[op])
}
