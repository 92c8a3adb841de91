import { expect, test } from 'vitest'
import type { ReadRows } from '#core/reports/run/statements'
import { countDistinct, type GroupSet, groupByValue } from '#core/reports/sql/distinct'
import { isFileCondition, join, sql } from '#core/sql/sql'
import { runInBareDuckDb } from '#test/support/bare-duckdb'

const rows: ReadRows = ({ text, params }) =>
  runInBareDuckDb('', {
    text,
    params: params.map(param => (isFileCondition(param) ? true : param)),
    tables: {},
  })

/** A user, or null, with a number of each set of groups: 0 stands for "in no group". */
type TestRow = { user: string | null; indexes: readonly number[] }

/** 300 rows of 40 users. */
function makeRows(sizes: readonly number[]): TestRow[] {
  return Array.from({ length: 300 }, (_, i) => ({
    user: i % 7 === 0 ? null : `u${(i * i) % 40}`,
    indexes: sizes.map((size, set) => (i * (set + 3) + (i >> 3)) % (size + 1)),
  }))
}

const toNames = (sizes: readonly number[]) => sizes.map((_, set) => ({ text: `n${set}`, params: [] }))

function toRelation(testRows: readonly TestRow[], sizes: readonly number[]) {
  const values = testRows.map(
    ({ user, indexes }) =>
      sql`(${join(
        [user, ...indexes].map(v => sql`${v}`),
        ', ',
      )})`,
  )
  return sql`(SELECT * FROM (VALUES ${join(values, ', ')}) AS v(user_ref, ${join(toNames(sizes), ', ')}))`
}

test.each([
  ['one set', [5]],
  ['the most groups of one set', [61]],
  ['three sets that fill one number', [17, 11, 31]],
  ['sets that need two numbers', [20, 20, 31]],
  ['a set that fits beside the first one again', [40, 40, 20]],
  ['an empty set', [0, 3]],
])('%s: each group counts its users once', async (_, sizes) => {
  const testRows = makeRows(sizes)
  const groupSets: GroupSet[] = toNames(sizes).map((groupIndex, set) => ({
    groupIndex,
    size: sizes[set] ?? 0,
  }))
  const counts = await countDistinct(rows, {
    relation: toRelation(testRows, sizes),
    entity: sql`user_ref`,
    groupSets,
  })
  const ofGroups = <T>(count: (users: (string | null)[]) => T) =>
    sizes.map((size, set) =>
      Array.from({ length: size }, (_, group) =>
        count(testRows.filter(({ indexes }) => indexes[set] === group + 1).map(({ user }) => user)),
      ),
    )
  const countUsers = (users: (string | null)[]) => new Set(users.filter(user => user !== null)).size
  expect(counts).toEqual({
    total: countUsers(testRows.map(({ user }) => user)),
    groups: ofGroups(countUsers),
    present: ofGroups(users => users.length > 0),
    hasRowsWithoutEntity: true,
    rows: 0,
  })
})

test('a user with an excluded row in a group counts in other groups only, also of another set', async () => {
  const relation = sql`(SELECT * FROM (VALUES ('a', 'x', 1, true), ('a', 'y', 2, false), ('b', 'x', 1, false), ('b', NULL, 3, true))
    AS v(user_ref, name, number, is_known))`
  const { groups, present } = await countDistinct(rows, {
    relation,
    entity: sql`user_ref`,
    groupSets: [groupByValue(sql`name`, ['x', 'y', null]), { groupIndex: sql`number`, size: 3 }],
    unless: sql`is_known`,
  })
  expect(groups).toEqual([
    [1, 1, 0],
    [1, 1, 0],
  ])
  expect(present.flat()).toEqual(Array(6).fill(true))
})
