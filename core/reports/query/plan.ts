import { eventRefs, ID_OF, joinSets } from '#core/lake/read/chosen'
import type { ChosenSet, EventField } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import { compileConditions } from '#core/reports/conditions/choose'
import { type QueryFilter, TIME_NUMBERS } from '#core/reports/conditions/parse-filter'
import { sessionColumn, sessionColumns } from '#core/reports/conditions/session-leaves'
import { traitColumns } from '#core/reports/conditions/trait-leaves'
import { ownSources } from '#core/reports/sources/own-sources'
import { propertyValue } from '#core/reports/sql/property-value'
import { join, name, sql, trustedSql } from '#core/sql/sql'
import type { Leaf } from '#schemas/conditions'
import { prefixedKey } from '#schemas/property-names'
import { rateOf, SESSION_GROUPS, TIME_GROUPS } from '#schemas/query'
import type { Metric } from './metric.ts'
import { planMetrics } from './metrics.ts'
import type { QueryRequest } from './params.ts'

/**
 * A field of `group_by`: its values by event, under an alias. Dates are grouped as such, because their texts
 * take twice as long.
 */
export type Group = { field: string; alias: SqlQuery; value: SqlQuery; fields: EventField[] }

/** The value of a group in a row of the response. */
export function readGroup(
  { field }: Group,
  value: Row[string] | undefined,
): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (field === 'is_bounce') return Number(value) === 1
  return isTimeGroup(field) ? Number(value) : (value as string)
}

/** The columns of groups as the response has them: dates as texts. */
export function selectGroups(groups: readonly Group[]): SqlQuery[] {
  return groups.map(({ field, alias }) =>
    field === 'date' ? sql`CAST(${alias} AS varchar) AS ${alias}` : alias,
  )
}

/** `GROUP BY` with the groups; nothing if all rows are one group. */
export function groupBy(groups: readonly Group[]): SqlQuery {
  const aliases = groups.map(({ alias }) => alias)
  return aliases.length === 0 ? sql`` : sql`GROUP BY ${join(aliases, ', ')}`
}

/**
 * What a query groups, counts and filters. `sets`: what its groups and its rates read of the sessions and the
 * people of the events.
 */
export type Plan = { groups: Group[]; metrics: Metric[]; filters: QueryFilter[]; sets: ChosenSet[] }

/**
 * `joined`: the filters that are of the session or person of an event. Throws INVALID_FILTER_FIELD and as
 * parseFilter does, for a rate.
 */
export function planQuery(
  request: QueryRequest,
  filters: readonly QueryFilter[],
  joined: readonly Leaf[] = [],
): Plan {
  const { params, project, context, read } = request
  const traits = traitColumns(read, params.group_by)
  const groups = params.group_by.map((field, i): Group => {
    const trait = traits.columns.get(field)
    const value =
      trait === undefined ? groupValue(field, request) : { fields: ['user_id' as const], value: trait }
    return { field, alias: trustedSql(`group_${i}`), ...value }
  })
  const own = ownSources(project, context)
  const rates = params.metrics.flatMap(each => rateOf(each)?.condition ?? [])
  // All together, because the names of their flags must differ.
  const compiled = compileConditions([...rates, ...joined], { ...request, own }, 'filters')
  const ids = compiled.sets.map(({ of }) => ID_OF[of])
  const joinedFilters = compiled.tests
    .slice(rates.length)
    .map(condition => ({ condition, fields: [...compiled.fields, ...ids] }))
  const metrics = planMetrics(params.metrics, params.count_mode, compiled)
  return {
    groups,
    metrics,
    filters: [...filters, ...joinedFilters],
    sets: [
      ...sessionColumns(read, params.group_by.filter(isSessionGroup), own),
      ...traits.sets,
      ...compiled.sets,
    ],
  }
}

function isSessionGroup(field: string): field is (typeof SESSION_GROUPS)[number] {
  return SESSION_GROUPS.some(each => each === field)
}

function isTimeGroup(field: string): field is (typeof TIME_GROUPS)[number] {
  return TIME_GROUPS.some(each => each === field)
}

/**
 * The value of an event by which a field groups it, but not that of a trait, and the fields of `events` that
 * this reads.
 */
export function groupValue(
  field: string,
  { zone, range }: Pick<QueryRequest, 'zone' | 'range'>,
): Pick<Group, 'value' | 'fields'> {
  if (field === 'date')
    return { fields: ['timestamp'], value: sql`CAST(${zone.localTimestamp(range)} AS date)` }
  if (isTimeGroup(field))
    return { fields: ['timestamp'], value: TIME_NUMBERS[field](zone.localTimestamp(range)) }
  if (isSessionGroup(field)) return { fields: ['session_id'], value: sessionColumn(field) }
  const key = prefixedKey(field)
  if (key !== undefined) {
    const { fields, text } = propertyValue(key)
    return { fields, value: text }
  }
  // The schema allows no other fields.
  const column = field as 'event' | 'user_id' | 'session_id' | 'country'
  return { fields: [column], value: name(column) }
}

/**
 * The events that pass the filters: group_<i>, number_<i>, and the ids. The numbers are computed from texts
 * of an inner SELECT, so that the key of a property is in the statement once.
 */
export function filteredEvents(
  { read }: QueryRequest,
  { groups, metrics, filters, sets }: Plan,
  ids: readonly ('user_id' | 'session_id')[],
): SqlQuery {
  // Several metrics may be of one property.
  const numbers = new Map(
    metrics.flatMap(({ column }) => (column === undefined ? [] : [[column.alias.text, column]])),
  )
    .values()
    .toArray()
  const columns = [
    ...groups.map(({ alias, value }) => sql`${value} AS ${alias}`),
    ...numbers.map(({ text, textAlias }) => sql`${text} AS ${textAlias}`),
    ...metrics.flatMap(({ extra }) => (extra === undefined ? [] : [sql`${extra.value} AS ${extra.alias}`])),
    ...ids.map(name),
  ]
  const fields = [...groups, ...metrics, ...filters].flatMap(({ fields }) => fields)
  const where =
    filters.length === 0
      ? sql``
      : sql`WHERE ${join(
          filters.map(({ condition }) => sql`(${condition})`),
          ' AND ',
        )}`
  const filtered = sql`SELECT ${columns.length === 0 ? sql`1 AS each_row` : join(columns, ', ')}
        FROM ${events(read, [...new Set([...ids, ...fields])])} AS each_event${joinSets(sets, eventRefs)} ${where}`
  if (numbers.length === 0) return filtered
  const numberColumns = numbers.map(({ alias, number }) => sql`${number} AS ${alias}`)
  return sql`SELECT *, ${join(numberColumns, ', ')} FROM (${filtered}) AS text_event`
}
