import type { SqlQuery } from '#core/ports'
import { integer, sql } from '#core/sql'

/**
 * Exact sums of decimals: ten times 19.90 is 199, and not 199.00000000000003 as with doubles. Values that
 * decimals(38, 14) hold exactly are added as decimals, and others, such as 1e80 or 0.1234567890123456, as
 * doubles. A text of at most 16 characters without an exponent has at most 14 decimals. Below 10^12, the sum
 * of 10^12 values fits 38 digits; above them both engines would fail.
 */
const MAX_CHARS = 16
const MAX_NUMBER = '1e12'
const DECIMALS = 14

/** Two columns, which add up over groups: the sum of the decimals, and that of the other numbers. */
export type SumParts = readonly [decimals: SqlQuery, others: SqlQuery]

/** `text`: a column with the values as texts, `number`: the same as doubles, null for what is no number. */
export function sumParts(text: SqlQuery, number: SqlQuery): SumParts {
  const isDecimal = sql`abs(${number}) < ${written(MAX_NUMBER)} AND length(${text}) <= ${integer(MAX_CHARS)} AND strpos(lower(${text}), 'e') = 0`
  const decimal = sql`try_cast(${text} AS ${written(`decimal(38, ${DECIMALS})`)})`
  return [
    sql`sum(CASE WHEN ${isDecimal} THEN ${decimal} END)`,
    sql`sum(CASE WHEN NOT (${isDecimal}) THEN ${number} END)`,
  ]
}

/**
 * The sum as a double; null without numbers. By way of text, which both engines round right: DuckDB divides a
 * decimal as a double.
 */
export function sumOfParts([decimals, others]: SumParts): SqlQuery {
  const sum = sql`CAST(CAST(${decimals} AS varchar) AS double)`
  return sql`CASE WHEN ${others} IS NULL THEN ${sum} ELSE coalesce(${sum}, 0e0) + ${others} END`
}

/**
 * The sum of numbers as they are written in decimals, so that 0.1 and 0.2 are 0.3. Numbers with an exponent
 * are added as doubles.
 */
export function addDecimals(numbers: readonly number[]): number {
  const isPlain = (number: number) => !String(number).includes('e')
  const places = Math.max(0, ...numbers.filter(isPlain).map(number => decimalsOf(number).length))
  const whole = numbers
    .filter(isPlain)
    .reduce(
      (sum, number) =>
        sum + BigInt(String(number).replace('.', '') + '0'.repeat(places - decimalsOf(number).length)),
      0n,
    )
  const others = numbers.filter(number => !isPlain(number)).reduce((sum, number) => sum + number, 0)
  return Number(`${whole}e-${places}`) + others
}

function decimalsOf(number: number): string {
  return String(number).split('.')[1] ?? ''
}

/** Numbers and types of this file only. */
function written(text: string): SqlQuery {
  return { text, params: [] }
}
