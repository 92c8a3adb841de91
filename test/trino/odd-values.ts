import fc from 'fast-check'
import type { SqlParam, SqlQuery } from '#core/ports'
import { join, sql } from '#core/sql/sql'

const STATEMENTS = 20
const VALUES_PER_STATEMENT = 20

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      "'",
      '"',
      '\\',
      '?',
      '-',
      '/',
      '*',
      ';',
      '\n',
      '\t',
      '\0',
      '\u{1F600}',
      'é',
      '$',
      'U&',
    ),
  }),
  fc.constantFrom(
    '',
    ' ',
    'a ',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\uffff',
    '\u{10ffff}',
    '\ud800',
    "x' OR '1'='1",
  ),
)
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 2 ** 31, -(2 ** 53) + 1),
)
const param: fc.Arbitrary<SqlParam> = fc.oneof(text, number, fc.boolean())

/**
 * Statements that return values of all kinds, and whether each equals itself. They test the literals of
 * core/sql/literal.ts.
 */
export function oddValues(seed: number): SqlQuery[] {
  const rows = fc.sample(
    fc.array(param, { minLength: VALUES_PER_STATEMENT, maxLength: VALUES_PER_STATEMENT }),
    {
      seed,
      numRuns: STATEMENTS,
    },
  )
  return rows.map(values => {
    const columns = values.flatMap((value, i) => [
      sql`${value} AS ${column('v', i)}`,
      sql`${value} = ${value} AS ${column('e', i)}`,
    ])
    return sql`SELECT ${join(columns, ', ')}`
  })
}

function column(prefix: string, i: number): SqlQuery {
  return { text: `${prefix}_${i}`, params: [] }
}
