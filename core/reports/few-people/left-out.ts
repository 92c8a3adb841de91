import type { EventField } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import { toText } from '#core/reports/query/group-numbers'
import type { QueryRequest } from '#core/reports/query/params'
import { groupBy, planQuery, selectGroups } from '#core/reports/query/plan'
import type { ReadRows } from '#core/reports/run/statements'
import { bit, integer, isOneOf, join, sql } from '#core/sql/sql'
import type { Choice } from './whole-groups.ts'

/** The row of a group, of which only the fields of `group_by` are read. */
type GroupRow = Record<string, unknown>
/** How many people a row leaves out; undefined if it leaves out no event. */
export type PeopleLeftOut = (row: GroupRow) => number | undefined

/**
 * Groups and sets of filters that are counted; of more, nothing is shown. 1,000 rows of 30 dates are fewer.
 */
const MAX_CELLS = 50_000

/** Characters of values in the statement, as in core/reports/sql/distinct.ts: Athena limits its text. */
const MAX_TEXT = 8_000

/**
 * How many people the filters leave out of each row: a function for each set of filters that some event
 * fails. A row with filters beside the same row without some of them tells about just these people. Null: the
 * groups are too many.
 */
export async function countLeftOut(
  rows: ReadRows,
  request: QueryRequest,
  choices: readonly Choice[],
  named: readonly GroupRow[],
): Promise<PeopleLeftOut[] | null> {
  const { groups } = planQuery({ ...request, params: { ...request.params, metrics: ['event_count'] } }, [])
  const failed = join(
    choices.map(choice => sql`CAST(1 - ${bit(choice.condition)} AS varchar)`),
    ' || ',
  )
  const fields = new Set<EventField>(['user_id', ...[...groups, ...choices].flatMap(each => each.fields)])
  // Of a property with many values only those of the rows matter.
  const isNamed = groups
    .filter(({ field }) => field !== 'date')
    .flatMap(({ field, alias }) => {
      const values = [...new Set(named.flatMap(row => (row[field] === null ? [] : [String(row[field])])))]
      const isShort = values.join('').length <= MAX_TEXT
      return isShort ? [sql` AND (${alias} IS NULL OR ${isOneOf(alias, values)})`] : []
    })
  const columns = groups.map(({ value, alias }) => sql`${value} AS ${alias}`)
  const found =
    await rows(sql`SELECT ${join([...selectGroups(groups), sql`failed`], ', ')}, count(DISTINCT user_id) AS people
    FROM (SELECT ${join(columns, ', ')}, ${failed} AS failed, user_id
      FROM ${events(request.read, [...fields])} AS each_event) AS marked_event
    WHERE strpos(failed, '1') > 0${join(isNamed, '')}
    ${groupBy(groups)}, failed LIMIT ${integer(MAX_CELLS + 1)}`)
  if (found.length > MAX_CELLS) return null
  const cells = found.map(row => ({
    group: JSON.stringify(groups.map((_, i) => toText(row[`group_${i}`]))),
    failed: String(row.failed),
    people: Number(row.people),
  }))
  const byGroup = Map.groupBy(cells, ({ group }) => group)
  return [...new Set(cells.map(cell => cell.failed))].map(set => row => {
    const own = byGroup.get(JSON.stringify(groups.map(({ field }) => row[field] ?? null))) ?? []
    const within = own.filter(cell => [...cell.failed].every((mark, i) => mark <= (set[i] ?? '0')))
    // Somebody may fail several sets, so at least so many.
    return within.length === 0 ? undefined : Math.max(...within.map(({ people }) => people))
  })
}
