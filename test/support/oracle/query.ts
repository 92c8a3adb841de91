import type { Condition } from '#schemas/conditions'
import {
  byCodePoint,
  countUsers,
  eventsOf,
  isInRange,
  localTime,
  type OracleRequest,
  ratioOf,
  searchStart,
  sum,
} from './common.ts'
import { oracleConditions } from './conditions.ts'
import { fieldOf, matches, readsAsNumber } from './matches.ts'
import { keyNamed, propertyText } from './properties.ts'
import type { SentEvent } from './sent-event.ts'
import { type GroupValue, SESSION_GROUPS, sessionGroups } from './session-groups.ts'
import { NON_INTERACTIVE } from './sessions.ts'
import { isTrait, traitText } from './traits.ts'

export type OracleFilter = { field: string; op: string; value?: unknown }

export type OracleQuery = {
  metrics: string[]
  group_by: string[]
  filters: OracleFilter[]
  count_mode: string
  order_by?: string | undefined
  order: 'asc' | 'desc'
  limit: number
}

function isDerived(field: string): boolean {
  return SESSION_GROUPS.includes(field) || field === 'hour' || field === 'weekday' || isTrait(field)
}

/** Whether a filter is of the session or person of an event. */
function isOfSets(field: string): boolean {
  return SESSION_GROUPS.includes(field) || field === 'duration' || field === 'is_new' || isTrait(field)
}

function groupOf(
  event: SentEvent,
  field: string,
  { tz, traitsOf }: OracleRequest,
  sessions: ReturnType<typeof sessionGroups>,
): GroupValue {
  if (isTrait(field)) return traitText(event, field, traitsOf)
  // Some history has a session with the id ''.
  if (SESSION_GROUPS.includes(field))
    return event.session_id === null ? null : (sessions.get(event.session_id)?.[field] ?? null)
  if (field === 'hour' || field === 'weekday') return localTime(event.timestamp, tz)[field]
  if (/^properties[.[]/.test(field)) return propertyText(event, field.replace('properties.', ''))
  const value = fieldOf(event, field, tz)
  return value === null ? null : String(value)
}

/** `everything`: what groups of sessions and rates look at, if `events` are a part of it. */
export function oracleQuery(
  events: readonly SentEvent[],
  request: OracleRequest,
  query: OracleQuery,
  everything = events,
) {
  const all = eventsOf(events, request)
  const ofSets = new Map(
    query.filters
      .filter(({ field }) => isOfSets(field))
      .map(filter => [
        filter,
        new Set(oracleConditions(everything, request, request.traitsOf).passing(filter as Condition)),
      ]),
  )
  const own = all
    .filter(event => isInRange(event.timestamp, request))
    .filter(event =>
      query.filters.every(filter =>
        ofSets.has(filter)
          ? ofSets.get(filter)?.has(event)
          : matches(
              fieldOf(event, filter.field, request.tz),
              filter.op,
              filter.value as Parameters<typeof matches>[2],
            ),
      ),
    )
  const ofSessions = sessionGroups(everything, request)
  const keyOf = (event: SentEvent) =>
    JSON.stringify(query.group_by.map(field => groupOf(event, field, request, ofSessions)))
  const passing = (condition: Condition) => new Set(oracleConditions(everything, request).passing(condition))
  const groups = [...Map.groupBy(own, keyOf)].map(([key, of]) => ({
    key: JSON.parse(key) as GroupValue[],
    of,
  }))
  if (query.group_by.length === 0 && groups.length === 0) groups.push({ key: [], of: [] })
  const wholeSessions = sessionsById(all, request)
  const rows = groups.map(({ key, of }) => ({
    ...{ key, of },
    row: Object.fromEntries([
      ...query.group_by.map((field, i) => [field, key[i] ?? null]),
      ...query.metrics.map(metric => [
        metric,
        metricOf(metric, of, query.count_mode, wholeSessions, passing),
      ]),
    ]) as Record<string, GroupValue>,
  }))
  const first =
    [...query.group_by, ...query.metrics].find(name => name === query.order_by) ??
    (query.group_by.includes('date') ? 'date' : (query.metrics[0] as string))
  const sign = query.order === 'asc' ? 1 : -1
  rows.sort(
    (a, b) =>
      compareCells(a.row[first] ?? null, b.row[first] ?? null, sign) ||
      query.group_by.reduce((order, _, i) => order || compareCells(a.key[i] ?? null, b.key[i] ?? null, 1), 0),
  )
  const shown = rows.slice(0, query.limit).map(({ row }) => row)
  const cut = rows.length > query.limit
  const other =
    cut && query.group_by.some(field => /^properties[.[]/.test(field) || isDerived(field))
      ? [
          Object.fromEntries([
            ...query.group_by.map(field => [field, null]),
            ...query.metrics.map(metric => [metric, restOf(metric, rows.slice(query.limit))]),
            ['other', true],
          ]),
        ]
      : []
  return {
    rows: [...shown, ...other],
    count: shown.length + other.length,
    ...(cut && { truncated: true, total_rows: rows.length }),
  }
}

/** The events of a query, and what `event_count` counts in all of its groups; null if that is events. */
export function oracleCounts(
  events: readonly SentEvent[],
  request: OracleRequest,
  query: OracleQuery,
): { events: number; visits: number | null } {
  const countIn = (count_mode: string) => {
    const all = { ...query, count_mode, metrics: ['event_count'], limit: Number.POSITIVE_INFINITY }
    return sum(oracleQuery(events, request, all).rows.map(row => Number(row.event_count)))
  }
  const isOfVisits = query.count_mode !== 'raw' && query.metrics.includes('event_count')
  return { events: countIn('raw'), visits: isOfVisits ? countIn(query.count_mode) : null }
}

/** An additive metric over the rows that are not shown; null if none of them has a number. */
function restOf(
  metric: string,
  rows: readonly { row: Record<string, GroupValue>; of: readonly SentEvent[] }[],
): number | null {
  if (metric.startsWith('sum('))
    return numericMetric(
      metric,
      rows.flatMap(({ of }) => of),
    )
  if (metric !== 'event_count') return null
  const numbers = rows.map(({ row }) => row[metric] ?? null).filter(value => value !== null)
  return numbers.length === 0 ? null : sum(numbers.map(Number))
}

function compareCells(a: GroupValue, b: GroupValue, sign: number): number {
  if (typeof a === 'boolean' && typeof b === 'boolean') return sign * (Number(a) - Number(b))
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : byCodePoint(String(a), String(b)))
}

type WholeSession = { bounce: boolean; isSinglePage: boolean; duration: number }

/** All sessions with an event in the 35 days before the range or later, from these events. */
function sessionsById(events: readonly SentEvent[], request: OracleRequest): Map<string, WholeSession> {
  const from = searchStart(request)
  const sessions = Map.groupBy(
    events.filter(event => event.timestamp >= from),
    event => event.session_id,
  )
  return new Map(
    [...sessions].flatMap(([id, of]) => {
      if (id === null) return []
      const times = of.map(event => event.timestamp)
      const bounce = of.every(event => NON_INTERACTIVE.has(event.event))
      const isSinglePage = of.filter(({ event }) => event === 'page_view').length === 1
      return [[id, { bounce, isSinglePage, duration: Math.max(...times) - Math.min(...times) }]]
    }),
  )
}

function metricOf(
  metric: string,
  events: readonly SentEvent[],
  countMode: string,
  sessions: Map<string, WholeSession>,
  passing: (condition: Condition) => Set<SentEvent>,
): number | null {
  const [, name, text = ''] = /^(rate|session_rate|people|sessions|unique)\((.*)\)$/s.exec(metric) ?? []
  if (name === 'unique') {
    const texts = events.map(event => propertyText(event, text.replace('properties.', '')))
    return new Set(texts.filter(each => each !== null)).size
  }
  if (name !== undefined) {
    const id = name === 'rate' || name === 'people' ? 'user_id' : 'session_id'
    const passes = passing(JSON.parse(text))
    const idsOf = (of: readonly SentEvent[]) => new Set(of.flatMap(event => event[id] ?? []))
    const some = idsOf(events.filter(event => passes.has(event))).size
    return name.endsWith('rate') ? ratioOf(some, idsOf(events).size, 3) : some
  }
  const ids = new Set(events.map(event => event.session_id).filter(id => id !== null))
  const whole = [...ids].map(id => sessions.get(id)).filter(session => session !== undefined)
  switch (metric) {
    case 'event_count':
      return countMode === 'raw' ? events.length : countSessionThenUser(events)
    case 'unique_users':
      return countUsers(events)
    case 'session_count':
      return ids.size
    case 'bounce_rate':
      return ratioOf(whole.filter(session => session.bounce).length, whole.length, 3)
    case 'single_page_rate':
      return ratioOf(whole.filter(session => session.isSinglePage).length, whole.length, 3)
    case 'avg_duration':
      return ratioOf(sum(whole.map(session => session.duration)), whole.length, 0)
    default:
      return numericMetric(metric, events)
  }
}

function countSessionThenUser(events: readonly SentEvent[]): number {
  const sessions = new Set(events.map(event => event.session_id).filter(id => id !== null))
  const withSession = new Set(events.filter(event => event.session_id !== null).map(event => event.user_id))
  const without = events.filter(event => event.session_id === null)
  const users = new Set(
    without.map(event => event.user_id).filter(user => user !== null && !withSession.has(user)),
  )
  return sessions.size + users.size + without.filter(event => event.user_id === null).length
}

/** The sum of the numbers as their shortest decimals, rounded once. */
function exactSum(numbers: readonly number[]): number {
  const scale = 400
  const whole = numbers.reduce((total, number) => {
    const [, sign = '', digits = '', decimals = '', exponent = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(number)) ?? []
    const places = scale - decimals.length + Number(exponent)
    return total + BigInt(`${sign}${digits}${decimals}`) * 10n ** BigInt(places)
  }, 0n)
  return Number(`${whole}e-${scale}`)
}

/** The currencies of the events that have a number as `value`; '' is none. */
function currenciesOf(events: readonly SentEvent[]): Set<string> {
  const paid = events.filter(event => readsAsNumber(event.properties?.value))
  return new Set(paid.map(event => (propertyText(event, 'currency') ?? '').toUpperCase()))
}

/** The metrics of `value` by group and currency; undefined where all values have the same currency. */
export function oracleByCurrency(
  events: readonly SentEvent[],
  request: OracleRequest,
  query: OracleQuery,
): Record<string, unknown>[] | undefined {
  const own = eventsOf(events, request).filter(event => isInRange(event.timestamp, request))
  if (currenciesOf(own).size < 2) return undefined
  const metrics = query.metrics.filter(metric => metric.endsWith('(properties.value)'))
  const ofSessions = sessionGroups(events, request)
  const keyOf = (event: SentEvent) => [
    ...query.group_by.map(field => groupOf(event, field, request, ofSessions)),
    (propertyText(event, 'currency') ?? '').toUpperCase() || null,
  ]
  const paid = own.filter(event => readsAsNumber(event.properties?.value))
  return [...Map.groupBy(paid, event => JSON.stringify(keyOf(event)))].map(([key, of]) => {
    const values = JSON.parse(key) as (string | null)[]
    return Object.fromEntries([
      ...[...query.group_by, 'currency'].map((field, i) => [field, values[i]]),
      ...metrics.map(metric => [metric, numericMetric(metric, of)]),
    ])
  })
}

function numericMetric(metric: string, events: readonly SentEvent[]): number | null {
  const [, statistic = '', name = ''] = /^(\w+)\((properties.*)\)$/s.exec(metric) ?? []
  const key = keyNamed(name)
  const numbers = events
    .map(({ properties }) => (properties !== null && Object.hasOwn(properties, key) ? properties[key] : null))
    .filter(readsAsNumber)
    .map(Number)
    .sort((a, b) => a - b)
  if (numbers.length === 0 || (key === 'value' && currenciesOf(events).size > 1)) return null
  const at = (percent: number) => numbers[Math.ceil((percent / 100) * numbers.length) - 1] ?? null
  switch (statistic) {
    case 'sum':
      return exactSum(numbers)
    case 'avg':
      return exactSum(numbers) / numbers.length
    case 'min':
      return numbers[0] ?? null
    case 'max':
      return numbers.at(-1) ?? null
    default:
      return at(Number(statistic.slice(1)))
  }
}
