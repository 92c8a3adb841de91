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
import { propertyText } from './properties.ts'
import type { SentEvent } from './sent-event.ts'

export type OracleFilter = { field: string; op: string; value: string | number | boolean }

export type OracleQuery = {
  metrics: string[]
  group_by: string[]
  filters: OracleFilter[]
  count_mode: string
  order_by?: string | undefined
  order: 'asc' | 'desc'
  limit: number
}

const BOUNCE_NAMES = [
  'page_view',
  '$impression',
  '$scroll_depth',
  '$error',
  '$time_on_page',
  '$performance',
  '$web_vitals',
  '$experiment_exposure',
]

function readsAsNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'string' || value.trim() !== value || value === '') return false
  try {
    const number: unknown = JSON.parse(value)
    return typeof number === 'number' && Number.isFinite(number)
  } catch {
    return false
  }
}

type Value = string | number | boolean

/** U10, U31, U32, U79. `actual` is what the event holds. */
export function matches(actual: unknown, op: string, value: Value | readonly Value[]): boolean {
  if (op === 'exists') return (actual !== null && actual !== undefined) === value
  if (op === 'in') return (value as Value[]).some(each => matches(actual, 'eq', each))
  if (op === 'not_in') return (value as Value[]).every(each => matches(actual, 'neq', each))
  if (actual === null || actual === undefined || typeof actual === 'object') return false
  const [text, wanted] = [String(actual), String(value)]
  if (op === 'suffix') return text.endsWith(wanted)
  if (op === 'glob') return isLike(text, wanted)
  if (op === 'contains') return text.toLowerCase().includes(wanted.toLowerCase())
  if (op === 'prefix') return text.startsWith(wanted)
  const bothRead = readsAsNumber(actual) && readsAsNumber(value)
  if (op === 'eq' || op === 'neq') {
    const oneIsNumber = typeof actual === 'number' || typeof value === 'number'
    const equal = oneIsNumber && bothRead ? Number(actual) === Number(value) : text === wanted
    return (op === 'eq') === equal
  }
  const order = bothRead ? Number(actual) - Number(value) : byCodePoint(text, wanted)
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[op] ?? false
}

/** Whether a text has the form of a glob: `*` is any text without a slash, `**` any text. */
function isLike(text: string, glob: string): boolean {
  if (glob === '') return text === ''
  if (glob.startsWith('**')) {
    const rest = glob.replace(/^\*+/, '')
    return Array.from({ length: text.length + 1 }, (_, i) => i).some(i => isLike(text.slice(i), rest))
  }
  if (glob.startsWith('*')) {
    const slash = text.indexOf('/')
    const most = slash === -1 ? text.length : slash
    return Array.from({ length: most + 1 }, (_, i) => i).some(i => isLike(text.slice(i), glob.slice(1)))
  }
  return text[0] === glob[0] && text !== '' && isLike(text.slice(1), glob.slice(1))
}

export function fieldOf(event: SentEvent, field: string, tz: string): unknown {
  if (field === 'hour' || field === 'weekday') return localTime(event.timestamp, tz)[field]
  if (field === 'date') return localTime(event.timestamp, tz).date
  if (field === 'timestamp') return event.timestamp
  if (field.startsWith('properties.')) {
    const key = field.slice('properties.'.length)
    return event.properties !== null && Object.hasOwn(event.properties, key) ? event.properties[key] : null
  }
  return event[field as 'event']
}

function groupOf(event: SentEvent, field: string, tz: string): string | null {
  if (field.startsWith('properties.')) return propertyText(event, field.slice('properties.'.length))
  const value = fieldOf(event, field, tz)
  return value === null ? null : String(value)
}

export function oracleQuery(events: readonly SentEvent[], request: OracleRequest, query: OracleQuery) {
  const all = eventsOf(events, request)
  const own = all
    .filter(event => isInRange(event.timestamp, request))
    .filter(event =>
      query.filters.every(({ field, op, value }) => matches(fieldOf(event, field, request.tz), op, value)),
    )
  const keyOf = (event: SentEvent) =>
    JSON.stringify(query.group_by.map(field => groupOf(event, field, request.tz)))
  const groups = [...Map.groupBy(own, keyOf)].map(([key, of]) => ({
    key: JSON.parse(key) as (string | null)[],
    of,
  }))
  if (query.group_by.length === 0 && groups.length === 0) groups.push({ key: [], of: [] })
  const wholeSessions = sessionsById(all, request)
  const rows = groups.map(({ key, of }) => ({
    ...{ key, of },
    row: Object.fromEntries([
      ...query.group_by.map((field, i) => [field, key[i] ?? null]),
      ...query.metrics.map(metric => [metric, metricOf(metric, of, query.count_mode, wholeSessions)]),
    ]) as Record<string, string | number | null>,
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
    cut && query.group_by.some(field => field.startsWith('properties.'))
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
  rows: readonly { row: Record<string, string | number | null>; of: readonly SentEvent[] }[],
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

function compareCells(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : byCodePoint(String(a), String(b)))
}

/** All sessions with an event in the 35 days before the range or later, from these events. */
function sessionsById(
  events: readonly SentEvent[],
  request: OracleRequest,
): Map<string, { bounce: boolean; duration: number }> {
  const from = searchStart(request)
  const sessions = Map.groupBy(
    events.filter(event => event.timestamp >= from),
    event => event.session_id,
  )
  return new Map(
    [...sessions].flatMap(([id, of]) => {
      if (id === null) return []
      const times = of.map(event => event.timestamp)
      const bounce = of.every(event => BOUNCE_NAMES.includes(event.event))
      return [[id, { bounce, duration: Math.max(...times) - Math.min(...times) }]]
    }),
  )
}

function metricOf(
  metric: string,
  events: readonly SentEvent[],
  countMode: string,
  sessions: Map<string, { bounce: boolean; duration: number }>,
): number | null {
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
  const keyOf = (event: SentEvent) => [
    ...query.group_by.map(field => groupOf(event, field, request.tz)),
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
  const [, statistic = '', key = ''] = /^(\w+)\(properties\.(\w+)\)$/.exec(metric) ?? []
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
