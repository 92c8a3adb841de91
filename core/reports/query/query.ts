import type { z } from 'zod'
import { ApiError } from '#core/errors'
import { wholeSessions } from '#core/lake/read/session-rows'
import type { Row, SqlQuery } from '#core/ports'
import { isJoined } from '#core/reports/conditions/check-leaves'
import {
  parseFilter,
  parseLeaf,
  type QueryFilter,
  UnknownFieldError,
} from '#core/reports/conditions/parse-filter'
import { properties } from '#core/reports/properties'
import { warnOf } from '#core/reports/run/caveats'
import { defineReport, sinceDays, toPeriod } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import { type AskedNames, valuesOfFilters } from '#core/reports/run/unknown-names'
import { warnOfMissingTrait } from '#core/reports/run/warn-of-lost-links'
import { integer, isOneOf, join, sql, trustedSql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import { isJsonObject } from '#core/text/json-object'
import { namesOf } from '#schemas/compare'
import type { Leaf } from '#schemas/conditions'
import { EVENT_LIMITS } from '#schemas/event'
import { prefixedKey } from '#schemas/property-names'
import { queryOfPeriod, type queryResponse, rateOf } from '#schemas/query'
import { isCurrencies } from './currencies-metric.ts'
import { sumOfParts } from './exact-sum.ts'
import { readFewGroups } from './few-groups.ts'
import { columnsOf, hasRowForOthers, metricAlias, partAlias } from './metric-columns.ts'
import { haveSeveralCurrencies, isMixed, planByCurrency, restCurrencies, withoutMixedSums } from './money.ts'
import type { QueryParams, QueryRequest } from './params.ts'
import { mustRound, rankedNumbers } from './percentiles.ts'
import { filteredEvents, groupBy, type Plan, planQuery, readGroup, selectGroups } from './plan.ts'

type Response = z.input<typeof queryResponse>
type Groups = Pick<Response, 'rows' | 'count' | 'truncated' | 'total_rows'>
/**
 * `visits`: what `event_count` counts in all groups, also those that are not shown; null if it counts events.
 */
type ReadGroups = {
  groups: Groups
  /** The rows by currency; null where all values have the same. */
  byCurrency: { rows: Groups['rows']; isCut: boolean } | null
  counted: { visits: number; events: number } | null
}

/** POST /query (docs/api/query.md, docs/api/reads.md, docs/api/numbers.md#count-modes-of-query). */
export const query = defineReport<QueryParams, Response>({
  range: sinceDays(7, { takesTimes: true }),
  conditions: ({ metrics, filters }) => [
    ...metrics.flatMap(each => rateOf(each)?.condition ?? []),
    ...filters.filter(isLeafOfSets),
  ],
  groups: ({ group_by }) => group_by,
  async compute(rows, request) {
    const { project, params } = request
    const { groups, byCurrency, counted } = await readGroups(rows, request)
    warnOfVisits(request, counted)
    for (const field of params.group_by)
      if (groups.rows.length > 0 && groups.rows.every(row => row[field] === null))
        warnOfMissingTrait(field, request.notes)
    if (byCurrency !== null) warnOf(request.notes, 'MIXED_CURRENCIES', MIXED)
    return {
      project: project.name,
      period: toPeriod(request),
      count_mode: params.count_mode,
      metrics: params.metrics,
      group_by: params.group_by,
      ...groups,
      ...(byCurrency !== null && { by_currency: byCurrency.rows }),
      ...(byCurrency?.isCut === true && { truncated: true as const }),
    }
  },
  compared: { fields: namesOf(queryOfPeriod) },
  namesOfEmpty: namesOfEmptyQuery,
})

/** Whether a filter, which is not checked yet, names a field of the session or person. */
function isLeafOfSets(filter: unknown): filter is Leaf {
  return isJsonObject(filter) && typeof filter.field === 'string' && isJoined(filter.field)
}

/** Says how many events there are where `event_count` counts visits and these are fewer. */
function warnOfVisits({ notes }: QueryRequest, counted: ReadGroups['counted']): void {
  if (counted === null || counted.visits === counted.events) return
  warnOf(
    notes,
    'COUNT_MODE',
    `\`event_count\` counts visits, because \`count_mode\` is \`session_then_user\`. The events are ${counted.events}: send \`count_mode\` \`raw\` to count them.`,
  )
}

/** The names of a query without any number, and the properties that no row has. */
function namesOfEmptyQuery(params: QueryParams, { rows }: Response): AskedNames | null {
  const { group_by, metrics } = params
  // The read has checked the form of the filters.
  const filters = params.filters as { field: string; op: string; value: unknown }[]
  const isEmpty = rows.every(row => metrics.every(metric => !row[metric]))
  const missing = group_by.filter(field => rows.every(row => (row[field] ?? null) === null))
  if (!isEmpty && missing.length === 0) return null
  const filtered = isEmpty ? filters.map(({ field }) => field) : []
  const events = filters.filter(({ field, op }) => isEmpty && field === 'event' && op === 'eq')
  return {
    events: events.map(({ value }) => String(value)),
    properties: [...filtered, ...missing].flatMap(field => prefixedKey(field) ?? []),
    values: isEmpty
      ? valuesOfFilters(
          filters.filter(({ field }) => field === 'country' || prefixedKey(field) !== undefined),
        )
      : [],
  }
}

async function readGroups(rows: ReadRows, request: QueryRequest): Promise<ReadGroups> {
  const { params, read, identity } = request
  const { filters, joined } = await parseFilters(rows, request)
  const plan = planQuery(request, filters, joined)
  const users = params.email === undefined ? null : await identity.findByEmail(params.email)
  if (users !== null) plan.filters.push({ condition: isOneOf(sql`user_id`, users), fields: ['user_id'] })
  // A range before the project has no events.
  const isEmpty = users?.length === 0 || read.to <= read.from
  const found = isEmpty ? (plan.groups.length > 0 ? [] : [{}]) : await readRows(rows, request, plan)
  const sumOf = (column: 'visits' | 'events') => found.reduce((sum, row) => sum + Number(row[column] ?? 0), 0)
  const counted = visitsMetric(plan) === -1 ? null : { visits: sumOf('visits'), events: sumOf('events') }
  const byCurrency = haveSeveralCurrencies(found, plan) ? await readByCurrency(rows, request, plan) : null
  return { groups: toGroups(found, plan), byCurrency, counted }
}

const MIXED =
  'The values have several currencies. A row with several currencies has no amount, and amounts of different rows must not be added up. Group by `properties.currency` for the numbers of each currency.'

/** The metrics of money by group and currency. */
async function readByCurrency(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
): Promise<ReadGroups['byCurrency']> {
  const params = { ...request.params, order_by: undefined, limit: MAX_CURRENCY_ROWS }
  const ofCurrencies = planByCurrency(plan)
  const found = await readRows(rows, { ...request, params }, ofCurrencies)
  const shown = toGroups(found, ofCurrencies)
  // The row of all others would add several currencies.
  return { rows: shown.rows.filter(({ other }) => other !== true), isCut: shown.truncated === true }
}

/** Rows of groups and currencies that a response has at most. */
const MAX_CURRENCY_ROWS = 1_000

const ROUNDED =
  'The range has more values than a percentile tells apart, so they are rounded to 12 bits: percentiles are exact to 0.03 %.'

/** The index of the metric that counts visits and events; -1 without it. */
function visitsMetric({ metrics }: Plan): number {
  return metrics.findIndex(({ name, needsUsers }) => name === 'event_count' && needsUsers)
}

async function readRows(rows: ReadRows, request: QueryRequest, plan: Plan): Promise<Row[]> {
  const few = await readFewGroups(rows, request, plan)
  if (few !== null) return few
  const isRounded = await mustRound(rows, request, plan)
  if (isRounded) {
    request.notes.isExact = false
    request.notes.caveats.set('SAMPLED', ROUNDED)
  }
  return rows(groupsSql(request, plan, isRounded))
}

/**
 * The filters of the event alone, and those of its session or person. Throws INVALID_FILTER_FIELD with the
 * fields that the filter could name (docs/api/query.md).
 */
async function parseFilters(
  rows: ReadRows,
  request: QueryRequest,
): Promise<{ filters: QueryFilter[]; joined: Leaf[] }> {
  const { zone, range, params } = request
  try {
    const joined: Leaf[] = []
    const filters = params.filters.flatMap((filter, i) => {
      const leaf = parseLeaf(filter, `filters[${i}]`)
      if (!isJoined(leaf.field)) return parseFilter(filter, `filters[${i}]`, { ...zone, range })
      joined.push(leaf)
      return []
    })
    return { filters, joined }
  } catch (error) {
    if (!(error instanceof UnknownFieldError)) throw error
    const { events, property_keys } = await properties.compute(rows, request)
    throw new ApiError('INVALID_FILTER_FIELD', error.message, {
      fields: { suggested_field: error.suggestedField, available_properties: { events, property_keys } },
    })
  }
}

/**
 * One row a group in the order of the response, at most `limit`: group_<i>, metric_<i>_<j> for the columns of
 * metric i, and group_count, which is 1; where visits are counted also visits and events. One more row, with
 * a null shown_rank, has the number of the other groups as group_count. If the response may need a row for
 * them, it has rest_<i>, the sum of an additive metric; null if none of them has a number. A plain aggregate
 * adds the others up: with windows over all groups, DuckDB keeps every column of every group.
 */
function groupsSql(request: QueryRequest, plan: Plan, isRounded: boolean): SqlQuery {
  const { params } = request
  const rank = sql`row_number() OVER (ORDER BY ${orderSql(params, plan)})`
  const totals = withoutMixedSums(plan, totalsSql(request, plan, isRounded))
  const shown = sql`SELECT *, CASE WHEN group_rank <= ${integer(params.limit)} THEN group_rank END AS shown_rank
        FROM (SELECT *, ${rank} AS group_rank FROM (${totals}) AS group_total) AS ranked_group`
  const columns = [
    ...plan.groups.map(({ alias }) => alias),
    ...plan.metrics.flatMap(({ aggregates }, i) => aggregates.map((_, j) => metricAlias(i, j))),
  ]
  const restOf = (column: SqlQuery) => sql`sum(CASE WHEN shown_rank IS NULL THEN ${column} END)`
  const rests = plan.metrics.flatMap(({ isAdditive, parts }, i) => {
    if (!isAdditive || !hasRowForOthers(plan)) return []
    const rest =
      parts === undefined
        ? restOf(metricAlias(i, 0))
        : sumOfParts([restOf(partAlias(i, 0)), restOf(partAlias(i, 1))])
    return [sql`${rest} AS ${trustedSql(`rest_${i}`)}`]
  })
  const visits = visitsMetric(plan)
  const sums =
    visits === -1
      ? []
      : ['visits', 'events'].map(
          (column, j) => sql`CAST(sum(${metricAlias(visits, j)}) AS bigint) AS ${trustedSql(column)}`,
        )
  const ofOne = columns.map(column => sql`max(${column}) AS ${column}`)
  return sql`SELECT ${list([sql`shown_rank`, sql`count(*) AS group_count`, ...ofOne, ...rests, ...sums, ...restCurrencies(plan)])}
    FROM (${shown}) AS shown_group GROUP BY shown_rank ORDER BY shown_rank NULLS LAST`
}

/**
 * One row a group: group_<i> and metric_<i>_<j>. Metrics of entities, of events and of ranks add up different
 * rows. When a query has several kinds, the text of the events is in it once only, because Athena limits the
 * text.
 */
function totalsSql(request: QueryRequest, plan: Plan, isRounded: boolean): SqlQuery {
  const filtered = filteredEvents(request, plan, ['user_id', 'session_id'])
  const kinds = KINDS.filter(kind => plan.metrics.some(({ rowsOf }) => rowsOf === kind))
  const isMixed = kinds.length > 1
  const source = isMixed ? sql`SELECT * FROM event_of_groups` : filtered
  const totals = kinds.map(kind => {
    const columns = columnsOf(plan).map(
      ({ rowsOf, value, alias }) => sql`${rowsOf === kind ? value : sql`NULL`} AS ${alias}`,
    )
    const rowsOf = {
      entities: () => entitiesSql(request, plan, source),
      events: () => source,
      ranks: () => rankedNumbers(plan, source, isRounded),
    }
    return groupedSql(plan, columns, rowsOf[kind]())
  })
  if (!isMixed) return list(totals)
  const columns = columnsOf(plan).map(({ alias }) => sql`max(${alias}) AS ${alias}`)
  return sql`WITH event_of_groups AS (${filtered}) ${groupedSql(plan, columns, list(totals, ' UNION ALL '))}`
}

const KINDS = ['entities', 'events', 'ranks'] as const

function groupedSql({ groups }: Plan, columns: readonly SqlQuery[], rows: SqlQuery): SqlQuery {
  return sql`SELECT ${list([...selectGroups(groups), ...columns])} FROM (${rows}) AS group_row
      ${groupBy(groups)}`
}

/**
 * One row for each session of a group (also for "no session"), one for each user, or both, as the metrics
 * need: (group_<i>, is_user_row, session_key, user_key, event_count, anonymous_events, has_session), with
 * is_bounce, is_single_page and duration_ms of the whole session where a metric needs them. Grouping first is
 * ten times as fast as windows over the events.
 */
function entitiesSql(request: QueryRequest, plan: Plan, filtered: SqlQuery): SqlQuery {
  const { groups, metrics } = plan
  const aliases = groups.map(({ alias }) => alias)
  const keys = [
    { column: sql`session_key`, isNeeded: metrics.some(({ needsSessions }) => needsSessions) },
    { column: sql`user_key`, isNeeded: metrics.some(({ needsUsers }) => needsUsers) },
  ]
  const needed = keys.filter(({ isNeeded }) => isNeeded).map(({ column }) => column)
  const columns = keys.map(({ column, isNeeded }) => (isNeeded ? column : sql`NULL AS ${column}`))
  const sets = needed.map(column => sql`(${list([...aliases, column])})`)
  const isUserRow = keys[0]?.isNeeded ? (keys[1]?.isNeeded ? sql`grouping(session_key)` : sql`0`) : sql`1`
  const extras = metrics.flatMap(({ rowsOf, extra }) =>
    rowsOf !== 'entities' || extra === undefined ? [] : [extra.alias],
  )
  const keyed = sql`SELECT ${list([...aliases, ...extras, sql`${textKey(sql`session_id`)} AS session_key`, sql`${textKey(sql`user_id`)} AS user_key`])}
        FROM (${filtered}) AS filtered_event`
  const flagged = sql`SELECT *, CASE WHEN session_key IS NULL THEN 0 ELSE 1 END AS in_session,
          CASE WHEN session_key IS NULL AND user_key IS NULL THEN 1 ELSE 0 END AS is_anonymous
        FROM (${keyed}) AS keyed_event`
  const entities = sql`SELECT ${list([...aliases, ...columns])}, ${isUserRow} AS is_user_row, count(*) AS event_count,
        sum(is_anonymous) AS anonymous_events, max(in_session) AS has_session${join(
          extras.map(alias => sql`, max(${alias}) AS ${alias}`),
          '',
        )}
      FROM (${flagged}) AS flagged_event GROUP BY GROUPING SETS (${list(sets)})`
  if (!metrics.some(({ needsWholeSessions }) => needsWholeSessions)) return entities
  const whole = wholeSessions(request.read, request.now + EVENT_LIMITS.futureMs + 1)
  return sql`SELECT * FROM (${entities}) AS entity
      LEFT JOIN ${whole} AS whole_session ON ${textKey(sql`whole_id`)} = session_key`
}

/**
 * `order_by` if it is in the response, else the date, else the first metric; ties by the group fields, nulls
 * last (U40).
 */
function orderSql({ order_by, order }: QueryParams, { groups, metrics }: Plan): SqlQuery {
  const direction = trustedSql(order === 'asc' ? 'ASC' : 'DESC')
  const groupOf = (field: string | undefined) => groups.find(group => group.field === field)?.alias
  const metricOf = (metric: string | undefined) => {
    const index = metrics.findIndex(({ name }) => name === metric)
    return index === -1 ? undefined : metricAlias(index, 0)
  }
  const first = groupOf(order_by) ?? metricOf(order_by) ?? groupOf('date') ?? metricAlias(0, 0)
  return list([
    sql`${first} ${direction} NULLS LAST`,
    ...groups.filter(({ alias }) => alias !== first).map(({ alias }) => sql`${alias} ASC NULLS LAST`),
  ])
}

function list(pieces: readonly SqlQuery[], separator = ', '): SqlQuery {
  return join(pieces, separator)
}

function toGroups(allRows: readonly Row[], plan: Plan): Groups {
  const { groups } = plan
  const metrics = plan.metrics.filter(metric => !isCurrencies(metric))
  // Rows of readFewGroups have no shown_rank; all of them are groups.
  const others = allRows.find(({ shown_rank }) => shown_rank === null)
  const rows = allRows.filter(row => row !== others)
  const shown = rows.map(row =>
    Object.fromEntries([
      ...groups.map((group, i) => [group.field, readGroup(group, row[`group_${i}`])]),
      ...metrics.map(({ name, aggregates, read }, i) => [
        name,
        read(aggregates.map((_, j) => row[`metric_${i}_${j}`] ?? null)),
      ]),
    ]),
  )
  const totalRows = shown.length + Number(others?.group_count ?? 0)
  if (totalRows <= shown.length) return { rows: shown, count: shown.length }
  const cut = { truncated: true as const, total_rows: totalRows }
  if (!hasRowForOthers(plan)) return { rows: shown, count: shown.length, ...cut }
  const isRestMixed = others !== undefined && isMixed(others, plan)
  const rest = Object.fromEntries([
    ...groups.map(({ field }) => [field, null]),
    ...metrics.map(({ name, isAdditive, isMoney, read }, i) => [
      name,
      isAdditive && !(isMoney === true && isRestMixed) ? read([others?.[`rest_${i}`] ?? null]) : null,
    ]),
    ['other', true],
  ])
  return { rows: [...shown, rest], count: shown.length + 1, ...cut }
}
