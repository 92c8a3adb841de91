import type { SqlQuery } from '#core/ports'
import { sumOfParts, sumParts } from '#core/reports/query/exact-sum'
import { numberOf } from '#core/reports/sql/filters'
import { join, sql } from '#core/sql/sql'

const LISTS: readonly (readonly string[])[] = [
  Array(10).fill('19.9'),
  ['0.1', '0.2', '0.3', '-0.6'],
  ['99999999999.99', '0.01', '123456.7', '-0', '0.00000000000001'],
  [
    '1.5e3',
    '25E-1',
    '1e999',
    ' 5',
    'NaN',
    '0.12345678901234567',
    '1000000000000',
    '0.000001',
    '8999999999.123456',
    '7',
  ],
  ['999999999999.999', '999999999999.999', '1e300', '1e300'],
  ['much'],
]

/** Statements that add decimals exactly (core/reports/query/exact-sum.ts), also over groups. */
export function oddSums(): SqlQuery[] {
  return LISTS.map(texts => {
    const rows = join(
      texts.map((text, i) => sql`(${text}, ${String(i % 3)})`),
      ', ',
    )
    const numbers = sql`SELECT text_0, ${numberOf(sql`text_0`)} AS number_0, each_group
      FROM (VALUES ${rows}) AS each_text(text_0, each_group)`
    const [decimals, others] = sumParts(sql`number_0`)
    const groups = sql`SELECT each_group, ${decimals} AS part_0, ${others} AS part_1 FROM (${numbers}) AS number_row GROUP BY each_group`
    return sql`SELECT 'each' AS part, ${sumOfParts([decimals, others])} AS total FROM (${numbers}) AS number_row
      UNION ALL SELECT 'groups' AS part, ${sumOfParts([sql`sum(part_0)`, sql`sum(part_1)`])} AS total FROM (${groups}) AS group_row`
  })
}
