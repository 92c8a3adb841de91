import type { Row } from '#core/ports'
import { canGroupByValue, type GroupSet, groupByValue, MAX_GROUPS } from '#core/reports/sql/distinct'
import { date, integer, sql } from '#core/sql/sql'
import { DAY_MS } from '#core/time'
import type { Group } from './plan.ts'

/**
 * A group of a query: its values in the order of `group_by`, its number among all groups from 0, and its
 * events.
 */
export type NumberedGroup = { values: (string | null)[]; index: number; events: number }

/**
 * `set`: the groups for countDistinct. `indexOf`: the number of the group of a row with the columns of
 * groups.
 */
export type NumberedGroups = { groups: NumberedGroup[]; set: GroupSet; indexOf(row: Row): number }

/** Numbers the groups of the rows (group_<i>, events); null if they are too many. */
export function numberGroups(groups: readonly Group[], found: readonly Row[]): NumberedGroups | null {
  const valuesOf = (row: Row) => groups.map((_, i) => toText(row[`group_${i}`]))
  const sets = groups.map((group, i) =>
    numberValues(
      group,
      found.map(row => toText(row[`group_${i}`])),
    ),
  )
  if (!sets.every(set => set !== null)) return null
  const size = sets.reduce((product, set) => product * set.size, 1)
  if (found.length > MAX_GROUPS || size > MAX_GROUPS) return null
  const indexOf = (row: Row) =>
    sets.reduceRight((number, set, i) => number * set.size + set.indexOf(toText(row[`group_${i}`])), 0)
  const groupIndex =
    sets.length === 0
      ? sql`1`
      : sets
          .map(set => set.groupIndex)
          .reduceRight((number, index, i) => sql`(${number} - 1) * ${integer(sets[i]?.size ?? 1)} + ${index}`)
  return {
    groups: found.map(row => ({
      values: valuesOf(row),
      index: indexOf(row),
      events: Number(row.events ?? 0),
    })),
    set: { groupIndex, size },
    indexOf,
  }
}

/**
 * The values of a field as a set; `indexOf` gives the index of a value from 0. Null if there are too many.
 */
function numberValues(
  { field, alias }: Group,
  all: readonly (string | null)[],
): (GroupSet & { indexOf(value: string | null): number }) | null {
  const values = [...new Set(all)].toSorted()
  if (field !== 'date') {
    return canGroupByValue(values)
      ? { ...groupByValue(alias, values), indexOf: value => values.indexOf(value) }
      : null
  }
  const first = String(values[0])
  const indexOf = (value: string | null) => (Date.parse(String(value)) - Date.parse(first)) / DAY_MS
  const groupIndex = sql`date_diff('day', ${date(first)}, ${alias}) + 1`
  return { groupIndex, size: indexOf(values.at(-1) ?? null) + 1, indexOf }
}

/** The text of a value in a row of groups. */
export function toText(value: Row[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value)
}
