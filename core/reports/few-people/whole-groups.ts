import type { EventField } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import { parseFilter } from '#core/reports/conditions/parse-filter'
import { planMetrics } from '#core/reports/query/metrics'
import type { QueryRequest } from '#core/reports/query/params'
import { groupValue } from '#core/reports/query/plan'
import type { ReadRows } from '#core/reports/run/statements'
import { bit, integer, join, sql, trustedSql } from '#core/sql/sql'
import { fieldOfKey, oneField } from '#schemas/property-names'
import { FEWEST_PEOPLE } from './fold-groups.ts'

/** What the filters of one field choose: `value` is that by which a report would group the events. */
export type Choice = Condition & { value: SqlQuery }

type Condition = { condition: SqlQuery; fields: readonly EventField[] }
type Request = Pick<QueryRequest, 'read' | 'zone' | 'range'>

/** What the filters of a query choose, a field at a time. */
export function choicesOf(request: QueryRequest): Choice[] {
  const time = { ...request.zone, range: request.range }
  const filters = request.params.filters as { field: string }[]
  return [...Map.groupBy(filters, ({ field }) => oneField(field))].map(([field, ofField]) => {
    const parsed = ofField.map((filter, i) => parseFilter(filter, `filters[${i}]`, time))
    return choiceOf(request, field, parsed)
  })
}

/** What conditions on a field of POST /query choose together. */
export function choiceOf(
  request: Pick<Request, 'zone' | 'range'>,
  field: string,
  conditions: readonly Condition[],
): Choice {
  const { value, fields } = groupValue(field, request)
  return {
    value,
    condition: join(
      conditions.map(({ condition }) => sql`(${condition})`),
      ' AND ',
    ),
    fields: [...fields, ...conditions.flatMap(each => each.fields)],
  }
}

type Only = {
  /** Only events for which it holds. */
  where?: Condition | undefined
  /** Only events with a number of this property, each date by itself. */
  key?: string | undefined
}

/**
 * Whether the filters choose whole groups. A list of a field's values shows groups of at least FEWEST_PEOPLE,
 * and all others in one sum (fold-groups.ts). If each filter takes each group of the list of its field, and
 * that sum, as a whole or not at all, then answers to filters of a field are sums of what the list shows.
 * So their differences are too, whatever the operators are. With filters of several fields, each must choose
 * whole groups in the list of all events, and in the list of the events that any of the others choose.
 */
export async function areGroupsWhole(
  rows: ReadRows,
  request: Request,
  choices: readonly Choice[],
  only: Only = {},
): Promise<boolean> {
  if (choices.length === 0) return true
  const found = await rows(groupsSql(request, choices, only))
  return [...Map.groupBy(found, ({ kind }) => Number(kind))].every(([, groups]) => isWhole(groups))
}

/**
 * The dates with numbers of a property, each with whether the filters choose whole groups of the events that
 * have one, of which at least one is shown.
 */
export async function datesOfWholeGroups(
  rows: ReadRows,
  request: Request,
  choices: readonly Choice[],
  key: string,
): Promise<Map<string, boolean>> {
  const found = await rows(groupsSql(request, choices, { key }))
  const dates = Map.groupBy(found, ({ day }) => String(day))
  return new Map(
    [...dates].map(([day, ofDay]) => {
      const lists = [...Map.groupBy(ofDay, ({ kind }) => Number(kind)).values()]
      return [day, lists.every(list => isWhole(list) && list.some(isOfEnough))]
    }),
  )
}

/** Of groups together. */
function isOfEnough({ people }: Row): boolean {
  return Number(people) >= FEWEST_PEOPLE
}

/** Whether a list's groups, and the sum of those that it does not show, are chosen as a whole. */
function isWhole(groups: readonly Row[]): boolean {
  if (groups.some(({ most, least }) => Number(most) !== Number(least))) return false
  const small = groups.filter(({ is_small }) => Number(is_small) === 1)
  if (small.length === 0) return true
  if (small.length > 1) return false
  const [[few], enough] = [small, groups.filter(group => !small.includes(group))]
  if (enough.length === 0 || (few !== undefined && isOfEnough(few))) return true
  // The smallest of the others is in the sum too.
  const [smallest, next] = enough.toSorted((a, b) => Number(a.fewest) - Number(b.fewest))
  const isTied = next !== undefined && Number(next.fewest) === Number(smallest?.fewest)
  return !isTied && Number(smallest?.most) === Number(few?.most)
}

/**
 * The groups of each list, added up by whether they are chosen and whether they are small: (kind, day, most,
 * least, is_small, people, fewest). `kind` tells the lists apart. `most` and `least` are 1 or 0: whether an
 * event of a group is chosen, and whether all are. `people` are those of all these groups together, and
 * `fewest` those of the smallest one.
 *
 * - `choice_user`: the users of each group. Each field is a grouping set by itself and with each selection of
 *   the other fields' choices, so the events are read once.
 * - `group_user`: the same with the numbers of the group, without events that another field does not choose.
 */
function groupsSql(request: Request, choices: readonly Choice[], only: Only): SqlQuery {
  const indexes = choices.map((_, i) => i)
  const day = only.key === undefined ? [] : [sql`day`]
  const sets = indexes.flatMap(i =>
    selections(indexes.filter(each => each !== i)).map(others => {
      const picked = others.map(each => column('picked', each))
      return sql`(${list([column('value', i), ...day, ...picked, sql`user_id`])})`
    }),
  )
  const values = indexes.map(i => column('value', i))
  const picked = choices.length > 1 ? indexes.map(i => column('picked', i)) : []
  const ofFields = indexes.flatMap(i => [
    sql`grouping(${column('value', i)}) AS ${column('skips', i)}`,
    sql`max(${column('chosen', i)}) AS ${column('most', i)}`,
    sql`min(${column('chosen', i)}) AS ${column('least', i)}`,
  ])
  const users = sql`SELECT ${list([sql`grouping(${list([...values, ...picked])}) AS kind`, ...day, ...values, ...picked, ...ofFields])}, user_id
        FROM (${choiceEvents(request, choices, only)}) AS choice_event GROUP BY GROUPING SETS (${list(sets)})`
  const ofSet = (name: 'most' | 'least') =>
    sql`CASE ${join(
      indexes.map(i => sql`WHEN ${column('skips', i)} = 0 THEN ${column(name, i)}`),
      ' ',
    )} END`
  const ofGroup = sql`OVER (PARTITION BY ${list([sql`kind`, ...day, ...values])})`
  const isPicked = picked.map(each => sql`coalesce(${each}, 1) = 1`)
  const where = isPicked.length === 0 ? sql`` : sql`WHERE ${join(isPicked, ' AND ')}`
  const dayText = day.map(each => sql`CAST(${each} AS varchar) AS day`)
  return sql`SELECT ${list([sql`kind`, ...dayText])}, most, least, is_small, count(DISTINCT user_id) AS people,
      min(group_people) AS fewest
    FROM (SELECT *, CASE WHEN group_people < ${integer(FEWEST_PEOPLE)} THEN 1 ELSE 0 END AS is_small
      FROM (SELECT ${list([sql`kind`, ...day])}, user_id, count(user_id) ${ofGroup} AS group_people,
          max(${ofSet('most')}) ${ofGroup} AS most, min(${ofSet('least')}) ${ofGroup} AS least
        FROM (${users}) AS choice_user ${where}) AS group_user) AS sized_group
    GROUP BY ${list([sql`kind`, ...day])}, most, least, is_small`
}

/** (value_<i>, chosen_<i>, picked_<i>, user_id), and the day for numbers of a property. */
function choiceEvents(request: Request, choices: readonly Choice[], { where, key }: Only): SqlQuery {
  const number = key === undefined ? null : numberOfProperty(key)
  const date = groupValue('date', request)
  const columns = [
    ...choices.flatMap((choice, i) => [
      sql`CAST(${choice.value} AS varchar) AS ${column('value', i)}`,
      sql`${bit(choice.condition)} AS ${column('chosen', i)}`,
    ]),
    ...(number === null ? [] : [sql`${date.value} AS day`, sql`${number.text} AS ${number.textAlias}`]),
  ]
  const fields = new Set<EventField>([
    'user_id',
    ...choices.flatMap(each => each.fields),
    ...(number === null ? [] : [...date.fields, ...number.fields]),
    ...(where?.fields ?? []),
  ])
  const only = where === undefined ? sql`` : sql`WHERE ${where.condition}`
  const picked = choices.map((_, i) => sql`${column('chosen', i)} AS ${column('picked', i)}`)
  const hasNumber = number === null ? sql`` : sql`WHERE ${number.number} IS NOT NULL`
  return sql`SELECT *, ${list(picked)}
      FROM (SELECT ${list(columns)}, user_id FROM ${events(request.read, [...fields])} AS each_event ${only}) AS flagged_event ${hasNumber}`
}

/** The number of a property as `sum` adds it up: `number` is computed from the column `textAlias`. */
export function numberOfProperty(key: string) {
  const [{ column: number, fields } = { column: undefined, fields: [] }] = planMetrics(
    [`sum(${fieldOfKey(key)})`],
    'raw',
  )
  if (number === undefined) throw new Error(`no property: ${key}`)
  return { ...number, fields }
}

/** Every selection of some, all or none. */
function selections<T>(all: readonly T[]): T[][] {
  return all.reduce<T[][]>((found, each) => found.flatMap(some => [some, [...some, each]]), [[]])
}

function column(prefix: 'value' | 'chosen' | 'picked' | 'skips' | 'most' | 'least', i: number): SqlQuery {
  return trustedSql(`${prefix}_${i}`)
}

function list(pieces: readonly SqlQuery[]): SqlQuery {
  return join(pieces, ', ')
}
