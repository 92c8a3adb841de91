import type { SqlQuery } from '#core/ports'
import { integer, join, sql } from '#core/sql'
import type { ReadRows } from './statements.ts'

/**
 * A set of groups of which a row is in at most one. `groupIndex` is the SQL of the row's group, from 1 to `size`, or 0
 * if the row is in none.
 */
export type GroupSet = { groupIndex: SqlQuery; size: number }

/** A bigint has 64 bits. One is the sign, one stands for "in no group", and one stays free. */
export const MAX_GROUPS = 61

/** One sum of 62 bits holds two counters, so a counter overflows at 2^31 users of a project. */
const COUNTER_BITS = 31
const BOTH_COUNTERS = 2 ** COUNTER_BITS + 1
const COUNTER_MASK = 2n ** BigInt(COUNTER_BITS) - 1n

/**
 * Counts the distinct users of `activity` (core/lake/relations.ts): in total, and in each group of each set.
 *
 * count(DISTINCT user) per event name needs a hash table entry for each (user, event name), and again for each country
 * and date. Here each user has one entry, with one bit for each group. Adding the bits up costs most of the time, so
 * each sum adds two of them. On 4 million rows this takes a third of the time of count(DISTINCT …).
 */
export async function distinctUsers(
  rows: ReadRows,
  activity: SqlQuery,
  groupSets: readonly GroupSet[],
): Promise<{ total: number; groups: number[][] }> {
  const masks = groupSets.map(
    ({ groupIndex }, set) =>
      sql`, bitwise_or_agg(bitwise_left_shift(CAST(1 AS bigint), CAST(${groupIndex} AS integer))) AS ${maskName(set)}`,
  )
  const sums = groupSets.flatMap(({ size }, set) =>
    lowerBits(size).map(
      bit => sql`, CAST(sum(bitwise_and(bitwise_right_shift(${maskName(set)}, ${integer(bit)}),
        CAST(${integer(BOTH_COUNTERS)} AS bigint))) AS varchar) AS ${sumName(set, bit)}`,
    ),
  )
  const [row = {}] = await rows(sql`SELECT count(*) AS total${join(sums, '')}
    FROM (SELECT user_ref${join(masks, '')} FROM ${activity} AS activity
      WHERE user_ref IS NOT NULL GROUP BY user_ref) AS each_user`)
  const groups = groupSets.map(({ size }, set) =>
    Array.from({ length: size }, (_, group) => {
      const bit = group + 1
      const bothCounters = BigInt(row[sumName(set, bit % COUNTER_BITS).text] ?? 0)
      const counter = bit < COUNTER_BITS ? bothCounters : bothCounters >> BigInt(COUNTER_BITS)
      return Number(counter & COUNTER_MASK)
    }),
  )
  return { total: Number(row.total ?? 0), groups }
}

/** Groups the rows by the value of a column, in the order of `values`. Null counts as `''`. */
export function groupByValue(column: SqlQuery, values: readonly (string | null)[]): GroupSet {
  if (values.length === 0) return { groupIndex: sql`0`, size: 0 }
  const array = join(
    values.map(value => sql`${value ?? ''}`),
    ', ',
  )
  return { groupIndex: sql`array_position(ARRAY[${array}], coalesce(${column}, ''))`, size: values.length }
}

/** The lower bit of each pair. Bit 0 means "in no group" and is not read, but bit 31 shares its sum. */
function lowerBits(size: number): number[] {
  return Array.from({ length: Math.min(COUNTER_BITS, size + 1) }, (_, bit) => bit)
}

/** Column names that consist of our own numbers only, so they are safe in the text. */
function maskName(set: number): SqlQuery {
  return { text: `mask_${set}`, params: [] }
}

function sumName(set: number, bit: number): SqlQuery {
  return { text: `sum_${set}_${bit}`, params: [] }
}
