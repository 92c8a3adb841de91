import type { Row, SqlQuery } from '#core/ports'
import { integer, join, sql } from '#core/sql'

/** Groups that exclude each other: `place` says of a row which one it is in, from 1 to `size`, or 0 for none. */
export type GroupSet = { groupIndex: SqlQuery; size: number }

/** Most groups of a family: one bit each, beside the one for none and the sign. */
export const MAX_GROUPS = 61

/** Two counters go into one sum of 62 bits; a project with 2^31 visitors would be the first too many. */
const COUNTER_BITS = 31
const BOTH_COUNTERS = 2 ** COUNTER_BITS + 1
const COUNTER_MASK = 2n ** BigInt(COUNTER_BITS) - 1n

/**
 * Distinct visitors of the rows of `activity` (core/lake/relations.ts), in all and in each group of each family.
 *
 * count(DISTINCT visitor) by event builds one entry a (visitor, event), and again by country and by date. Here each
 * visitor has one entry with a bit a group, and the bits are added up, two by each sum, as a sum costs most of it: a
 * third of the time on 4 million rows.
 */
export async function distinctUsers(
  rows: (statement: SqlQuery) => Promise<Row[]>,
  activity: SqlQuery,
  families: readonly GroupSet[],
): Promise<{ total: number; groups: number[][] }> {
  const masks = families.map(
    ({ groupIndex }, family) =>
      sql`, bitwise_or_agg(bitwise_left_shift(CAST(1 AS bigint), CAST(${groupIndex} AS integer))) AS ${mask(family)}`,
  )
  const sums = families.flatMap(({ size }, family) =>
    counters(size).map(
      bit => sql`, CAST(sum(bitwise_and(bitwise_right_shift(${mask(family)}, ${integer(bit)}),
        CAST(${integer(BOTH_COUNTERS)} AS bigint))) AS varchar) AS ${sum(family, bit)}`,
    ),
  )
  const [row = {}] = await rows(sql`SELECT count(*) AS total${join(sums, '')}
    FROM (SELECT visitor${join(masks, '')} FROM ${activity} AS activity
      WHERE visitor IS NOT NULL GROUP BY visitor) AS visitor`)
  const groups = families.map(({ size }, family) =>
    Array.from({ length: size }, (_, group) => {
      const bit = group + 1
      const both = BigInt(row[sum(family, bit % COUNTER_BITS).text] ?? 0)
      return Number((bit < COUNTER_BITS ? both : both >> BigInt(COUNTER_BITS)) & COUNTER_MASK)
    }),
  )
  return { total: Number(row.total ?? 0), groups }
}

/** The groups of a column by its values, in their order; `''` stands for null. */
export function byValue(column: SqlQuery, values: readonly (string | null)[]): GroupSet {
  if (values.length === 0) return { groupIndex: sql`0`, size: 0 }
  const listed = join(
    values.map(value => sql`${value ?? ''}`),
    ', ',
  )
  return { groupIndex: sql`array_position(ARRAY[${listed}], coalesce(${column}, ''))`, size: values.length }
}

/** Lower bits of the pairs: bit 0 says none of the groups, but shares its sum with bit 31. */
function counters(size: number): number[] {
  return Array.from({ length: Math.min(COUNTER_BITS, size + 1) }, (_, bit) => bit)
}

/** Names that are made of numbers only. */
function mask(family: number): SqlQuery {
  return { text: `mask_${family}`, params: [] }
}

function sum(family: number, bit: number): SqlQuery {
  return { text: `sum_${family}_${bit}`, params: [] }
}
