import type { SqlQuery } from '#core/ports'
import { sql, trustedSql } from '#core/sql/sql'

/**
 * Exact sums of decimals: ten times 19.90 is 199, and not 199.00000000000003 as with doubles. A number that
 * is the double of a decimal with at most six places is added as a whole number of millionths, any other one,
 * such as 1e80 or 0.1234567, as a double. Below 9 * 10^9 that whole number is a double too (2^53), and the
 * sum of 10^22 of them fits 38 digits. Adding texts as decimals(38, 14) takes twenty times as long.
 */
const PLACES = 6
const SCALE = '1e6'
const MAX_NUMBER = '9e9'

/** Two columns, which add up over groups: the sum of the millionths, and that of the other numbers. */
export type SumParts = readonly [millionths: SqlQuery, others: SqlQuery]

/** `number`: a column of doubles, null for what is no number. */
export function sumParts(number: SqlQuery): SumParts {
  const scale = trustedSql(SCALE)
  const millionths = sql`round(${number} * ${scale})`
  const isDecimal = sql`abs(${number}) < ${trustedSql(MAX_NUMBER)} AND ${millionths} / ${scale} = ${number}`
  return [
    sql`sum(CASE WHEN ${isDecimal} THEN try_cast(${millionths} AS decimal(18, 0)) END)`,
    sql`sum(CASE WHEN NOT (${isDecimal}) THEN ${number} END)`,
  ]
}

/** The sum as a double; null without numbers. By way of text, which both engines round once. */
export function sumOfParts([millionths, others]: SumParts): SqlQuery {
  const sum = sql`CAST(CAST(${millionths} AS varchar) || ${trustedSql(`'e-${PLACES}'`)} AS double)`
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
