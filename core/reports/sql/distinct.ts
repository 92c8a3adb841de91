import type { Row, SqlQuery } from '#core/ports'
import type { ReadRows } from '#core/reports/run/statements'
import { bit, integer, isOneOf, join, sql, trustedSql } from '#core/sql/sql'

/**
 * Counts of distinct users and sessions in few groups by bits. Processor time over 30 days with 4 million
 * events, ms, beside grouping sets of (group, user), and beside the general statement of POST /query, which
 * groups by sets too and which has every metric (2026-11-23, DuckDB 1.5.5):
 *
 * | | bits | sets | general |
 * | --- | --- | --- | --- |
 * | /stats | 330 | 620 | |
 * | /query by date | 120 | 160 | 590 |
 * | /query of three counts by date | 220 | 330 | 600 |
 * | /query of three counts by country | 300 | 480 | 550 |
 * | /query of users by date | 90 | 180 | 430 |
 * | /breakdown by path | 410 | 600 | |
 */

/**
 * A set of groups of which a row is in at most one. `groupIndex` is the SQL of the row's group, from 1 to
 * `size`, or 0 if the row is in none.
 */
export type GroupSet = { groupIndex: SqlQuery; size: number }

/**
 * Bits of a mask, which is a bigint. One of its 64 bits is the sign. Another one stays free, because the bits
 * are added up in pairs.
 */
const MASK_BITS = 62
/** Groups of a set. One bit more stands for "in no group". */
export const MAX_GROUPS = MASK_BITS - 1

/** Characters of the values of a group set. Longer values would make the statement too long for Athena. */
const MAX_TEXT = 8_000

/** One sum of 62 bits holds two counters, so a counter overflows at 2^31 entities of a project. */
const COUNTER_BITS = MASK_BITS / 2
const BOTH_COUNTERS = 2 ** COUNTER_BITS + 1
const COUNTER_MASK = 2n ** BigInt(COUNTER_BITS) - 1n

/** What countDistinct counts. */
type DistinctCount = {
  /** What FROM names. */
  relation: SqlQuery
  /**
   * The users or sessions that are counted, as an expression over the relation; null for rows without one.
   */
  entity: SqlQuery
  groupSets: readonly GroupSet[]
  /** A condition on rows. An entity with such a row in a group does not count in that group. */
  unless?: SqlQuery
  /** Whether the rows of the relation are counted too. */
  countsRows?: boolean
}

/**
 * `groups`: the count of each group of each set. `present`: whether a group has any rows, also rows without
 * an entity. `rows`: the rows of the relation with `countsRows`, else 0.
 */
export type DistinctCounts = {
  total: number
  rows: number
  groups: number[][]
  present: boolean[][]
  hasRowsWithoutEntity: boolean
}

/**
 * The bits of a group set in a mask: bit `none` stands for "in no group", and the next `size` bits are those
 * of the groups.
 */
type PlacedSet = { mask: number; none: number; size: number }

/**
 * Counts the distinct users or sessions of a relation: in total, and in each group of each set.
 *
 * count(DISTINCT user) per event name needs a hash table entry for each (user, event name), and again for
 * each country and date. Here each user has one entry, with one bit for each group; the bits of several sets
 * share a mask where they fit. Adding the bits up costs most of the time, so each sum adds two of them.
 */
export async function countDistinct(
  rows: ReadRows,
  { relation, entity, groupSets, unless, countsRows = false }: DistinctCount,
): Promise<DistinctCounts> {
  const sets = placeSets(groupSets)
  const masks = [...new Set(sets.map(({ mask }) => mask))]
  const indexes = groupSets.map(({ groupIndex }, set) => sql`, ${groupIndex} AS ${indexName(set)}`)
  const isExcluded = unless === undefined ? sql`` : sql`, ${bit(unless)} AS is_excluded`
  const masksOfEntity = masks.map(mask => {
    const bits = rowBits(sets, mask)
    return sql`, bitwise_or_agg(${bits}) AS ${presentName(mask)}, ${maskSql(bits, unless)} AS ${maskName(mask)}`
  })
  const present = masks.map(
    mask => sql`, CAST(bitwise_or_agg(${presentName(mask)}) AS varchar) AS ${presentName(mask)}`,
  )
  const sums = masks.flatMap(mask =>
    lowerBits(sets, mask).map(
      bit => sql`, CAST(sum(bitwise_and(bitwise_right_shift(${maskName(mask)}, ${integer(bit)}),
        CAST(${integer(BOTH_COUNTERS)} AS bigint))) AS varchar) AS ${sumName(mask, bit)}`,
    ),
  )
  const [countOfRows, sumOfRows] = countsRows
    ? [sql`, count(*) AS each_rows`, sql`, CAST(sum(each_rows) AS bigint) AS all_rows`]
    : [sql``, sql``]
  const [row = {}] =
    await rows(sql`SELECT count(entity) AS total, count(*) - count(entity) AS rows_without${sumOfRows}${join([...present, ...sums], '')}
    FROM (SELECT entity${countOfRows}${join(masksOfEntity, '')}
      FROM (SELECT ${entity} AS entity${join(indexes, '')}${isExcluded} FROM ${relation} AS each_row) AS entity_row
      GROUP BY entity) AS each_entity`)

  function countOf(mask: number, bit: number): number {
    const bothCounters = BigInt(row[sumName(mask, bit % COUNTER_BITS).text] ?? 0)
    const counter = bit < COUNTER_BITS ? bothCounters : bothCounters >> BigInt(COUNTER_BITS)
    return Number(counter & COUNTER_MASK)
  }

  function isPresent(mask: number, bit: number): boolean {
    return ((BigInt(row[presentName(mask).text] ?? 0) >> BigInt(bit)) & 1n) === 1n
  }

  const ofGroups = <T>(read: (mask: number, bit: number) => T): T[][] =>
    sets.map(set => groupBits(set).map(bit => read(set.mask, bit)))
  return {
    total: Number(row.total ?? 0),
    rows: Number(row.all_rows ?? 0),
    groups: ofGroups(countOf),
    present: ofGroups(isPresent),
    hasRowsWithoutEntity: Number(row.rows_without ?? 0) > 0,
  }
}

/**
 * Places the bits of one set after the other in a mask. A set that does not fit into the rest of the mask
 * begins the next mask.
 */
function placeSets(groupSets: readonly GroupSet[]): PlacedSet[] {
  let [mask, used] = [0, 0]
  return groupSets.map(({ size }) => {
    if (used + size + 1 > MASK_BITS) [mask, used] = [mask + 1, 0]
    const none = used
    used += size + 1
    return { mask, none, size }
  })
}

/** The bits of the groups of a set, in their order. */
function groupBits({ none, size }: PlacedSet): number[] {
  return Array.from({ length: size }, (_, group) => none + 1 + group)
}

/**
 * The bits of a row in a mask: one for each set. No two sets have the same bit, so their sum has all of them.
 */
function rowBits(sets: readonly PlacedSet[], mask: number): SqlQuery {
  const bits = sets.flatMap((set, index) =>
    set.mask === mask
      ? [
          sql`bitwise_left_shift(CAST(1 AS bigint), CAST(${indexName(index)} AS integer) + ${integer(set.none)})`,
        ]
      : [],
  )
  return join(bits, ' + ')
}

/** The lower bits of the pairs that have the bit of a group in a mask. */
function lowerBits(sets: readonly PlacedSet[], mask: number): number[] {
  const bits = sets.filter(set => set.mask === mask).flatMap(groupBits)
  return [...new Set(bits.map(bit => bit % COUNTER_BITS))].toSorted((a, b) => a - b)
}

/** The bits of the groups in which an entity counts. It is null for the rows that have no entity. */
function maskSql(bits: SqlQuery, unless: SqlQuery | undefined): SqlQuery {
  const all = sql`bitwise_or_agg(${bits})`
  const excluded = sql`coalesce(bitwise_or_agg(CASE WHEN is_excluded = 1 THEN ${bits} END), 0)`
  const mask = unless === undefined ? all : sql`bitwise_and(${all}, bitwise_not(${excluded}))`
  return sql`CASE WHEN entity IS NOT NULL THEN ${mask} END`
}

/** Whether the values are few and short enough for groupByValue. */
export function canGroupByValue(values: readonly (string | null)[]): boolean {
  return values.length <= MAX_GROUPS && values.join('').length <= MAX_TEXT
}

/** Groups the rows by the value of a text column, in the order of `values`. */
export function groupByValue(column: SqlQuery, values: readonly (string | null)[]): GroupSet {
  if (values.length === 0) return { groupIndex: sql`0`, size: 0 }
  const array = join(
    values.map(value => (value === null ? sql`CAST(NULL AS varchar)` : sql`${value}`)),
    ', ',
  )
  // No value equals null, so array_position does not find it.
  const nullIndex = integer(values.indexOf(null) + 1)
  return {
    groupIndex: sql`CASE WHEN ${column} IS NULL THEN ${nullIndex} ELSE array_position(ARRAY[${array}], ${column}) END`,
    size: values.length,
  }
}

/**
 * Counts the distinct users or sessions of each of the listed values, which are the most frequent ones. The
 * relation has a column `value`. `listed`: rows (value, total), the most frequent first. `events`: how many
 * events a row of the relation stands for. `areAllListed`: whether the relation has no other values. Then no
 * row has to be left out, which takes time for a value from JSON. `order`: what orders values of equal
 * frequency, over the column `value`.
 */
export async function countOfValues(
  rows: ReadRows,
  {
    relation,
    entity,
    events,
    listed,
    areAllListed,
    order = sql`value`,
  }: Pick<DistinctCount, 'relation' | 'entity'> & {
    events: SqlQuery
    listed: readonly Row[]
    areAllListed: boolean
    order?: SqlQuery
  },
): Promise<number[]> {
  const values = listed.map(row => String(row.value))
  if (values.length === 0) return []
  if (canGroupByValue(values)) {
    const groupSets = [groupByValue(sql`value`, values)]
    const ofListed = areAllListed
      ? relation
      : sql`(SELECT * FROM ${relation} AS valued_row WHERE ${isOneOf(sql`value`, values)})`
    const { groups } = await countDistinct(rows, { relation: ofListed, entity, groupSets })
    return groups[0] ?? []
  }
  // The order of the listed ones, so that these are found and no others.
  const counts = await rows(sql`SELECT value, count(entity) AS entities
    FROM (SELECT value, entity, sum(events) AS events
      FROM (SELECT value, ${entity} AS entity, ${events} AS events FROM ${relation} AS each_row
        WHERE value IS NOT NULL) AS entity_row
      GROUP BY value, entity) AS value_entity
    GROUP BY value ORDER BY sum(events) DESC, ${order} LIMIT ${integer(values.length)}`)
  const byValue = new Map(counts.map(row => [String(row.value), Number(row.entities)]))
  return values.map(value => byValue.get(value) ?? 0)
}

/** Column names that consist of our own numbers only, so they are safe in the text. */
function maskName(mask: number): SqlQuery {
  return trustedSql(`mask_${mask}`)
}

function presentName(mask: number): SqlQuery {
  return trustedSql(`present_${mask}`)
}

function indexName(set: number): SqlQuery {
  return trustedSql(`index_${set}`)
}

function sumName(mask: number, bit: number): SqlQuery {
  return trustedSql(`sum_${mask}_${bit}`)
}
