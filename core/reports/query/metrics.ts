import { ID_OF } from '#core/lake/read/chosen'
import type { ChosenSet, EventField } from '#core/lake/read/lake-read'
import type { Row, SqlQuery } from '#core/ports'
import { ratio } from '#core/reports/run/rounding'
import { numberOf } from '#core/reports/sql/filters'
import { propertyValue } from '#core/reports/sql/property-value'
import { bit, integer, sql, trustedSql } from '#core/sql/sql'
import { numericOf, propertyMetricOf, type Rate, rateOf } from '#schemas/query'
import { currenciesMetric, MONEY_KEY } from './currencies-metric.ts'
import { type SumParts, sumOfParts, sumParts } from './exact-sum.ts'
import type { Metric } from './metric.ts'
import { percentile } from './percentiles.ts'

/** The conditions of the rates of a request in its order: a test for each, and what all of them read. */
export type RateTests = {
  tests: readonly SqlQuery[]
  fields: readonly EventField[]
  sets: readonly ChosenSet[]
}

const NO_RATES: RateTests = { tests: [], fields: [], sets: [] }

/** The metrics of a request in its order, and those that they need. */
export function planMetrics(names: readonly string[], countMode: string, rates = NO_RATES): Metric[] {
  const tests = rates.tests.values()
  const keys = names.map(name => numericOf(name)?.key)
  const rankKeys = [...new Set(keys.filter((_, i) => isPercentile(names[i] ?? '')))]
  const eventsIn = rowsWithEvents(names, countMode)
  const metrics = names.map((name, i) => {
    const key = keys[i]
    const rate = rateOf(name)
    const test = rate === null ? undefined : tests.next().value
    if (rate !== null && test !== undefined) return rateMetric(name, i, rate, { ...rates, test })
    const asked = propertyMetricOf(name)
    if (asked?.statistic === 'unique') return uniqueMetric(name, i, asked.key)
    return key === undefined
      ? planMetric(name, countMode, eventsIn)
      : propertyMetric(name, key, { column: keys.indexOf(key), rank: rankKeys.indexOf(key) })
  })
  const money = metrics.find(({ isMoney }) => isMoney === true)?.column
  return money === undefined ? metrics : [...metrics, currenciesMetric(money.textAlias)]
}

/**
 * The rows that have the number of events, without a row of their own for it: those of sessions where other
 * metrics need them, else those of users, else the events themselves.
 */
type RowsWithEvents = 'sessions' | 'users' | 'events'

function rowsWithEvents(names: readonly string[], countMode: string): RowsWithEvents {
  const isOfSessions = (name: string) =>
    ['session_count', 'bounce_rate', 'single_page_rate', 'avg_duration'].includes(name)
  if (names.some(name => isOfSessions(name) || (name === 'event_count' && countMode !== 'raw')))
    return 'sessions'
  return names.includes('unique_users') ? 'users' : 'events'
}

function planMetric(name: string, countMode: string, eventsIn: RowsWithEvents): Metric {
  const plain = {
    name,
    rowsOf: 'entities',
    column: undefined,
    fields: [],
    isAdditive: false,
    needsUsers: false,
    needsSessions: false,
    needsWholeSessions: false,
    read: toCount,
  } as const
  switch (name) {
    case 'unique_users':
      return { ...plain, fields: [], aggregates: [countUsers(sql`true`)], needsUsers: true }
    case 'session_count':
      return { ...plain, fields: [], aggregates: [countSessions], needsSessions: true }
    case 'bounce_rate':
      return { ...plain, fields: [], ...perSession(sql`is_bounce`, 3) }
    case 'single_page_rate':
      return { ...plain, fields: [], ...perSession(sql`is_single_page`, 3) }
    case 'avg_duration':
      return { ...plain, fields: [], ...perSession(sql`duration_ms`, 0) }
    default:
      return { ...plain, fields: [], ...countEvents(countMode, eventsIn), isAdditive: true }
  }
}

function countEvents(
  countMode: string,
  eventsIn: RowsWithEvents,
): Pick<Metric, 'aggregates' | 'needsUsers' | 'needsSessions' | 'rowsOf'> {
  const plain = { rowsOf: 'entities', needsUsers: false, needsSessions: false } as const
  if (countMode !== 'raw') {
    // The events too, so that the response can say how many the visits stand for.
    const aggregates = [countBySessionThenUser, sumOfRows(0, sql`event_count`)]
    return { ...plain, aggregates, needsUsers: true, needsSessions: true }
  }
  if (eventsIn === 'events') return { ...plain, rowsOf: 'events', aggregates: [sql`count(*)`] }
  return { ...plain, aggregates: [sumOfRows(eventsIn === 'users' ? 1 : 0, sql`event_count`)] }
}

const countSessions = sql`count(CASE WHEN is_user_row = 0 AND session_key IS NOT NULL THEN 1 END)`

function countUsers(condition: SqlQuery): SqlQuery {
  return sql`count(CASE WHEN is_user_row = 1 AND user_key IS NOT NULL AND ${condition} THEN 1 END)`
}

/** Adds up all events of a group, also those without a session or a user. */
function sumOfRows(isUserRow: 0 | 1, value: SqlQuery): SqlQuery {
  return sql`CAST(coalesce(sum(CASE WHEN is_user_row = ${integer(isUserRow)} THEN ${value} END), 0) AS bigint)`
}

/**
 * docs/api/numbers.md#count-modes-of-query: sessions, then users without a session in the group, then events
 * with neither.
 */
const countBySessionThenUser = sql`${countSessions} + ${countUsers(sql`has_session = 0`)}
      + ${sumOfRows(0, sql`anonymous_events`)}`

/** The mean over the sessions of a group. */
function perSession(
  value: SqlQuery,
  decimals: number,
): Pick<Metric, 'aggregates' | 'read' | 'needsSessions' | 'needsWholeSessions'> {
  const total = sql`sum(CASE WHEN is_user_row = 0 AND session_key IS NOT NULL THEN ${value} END)`
  return {
    aggregates: [
      sql`CASE WHEN ${countSessions} = 0 THEN 0e0 ELSE CAST(${total} AS double) / ${countSessions} END`,
      sql`CAST(${total} AS bigint)`,
      countSessions,
    ],
    read: ([, sum, count]) => ratio(Number(sum ?? 0), Number(count ?? 0), decimals),
    needsSessions: true,
    needsWholeSessions: true,
  }
}

/**
 * `column` and `rank`: the number of the property among all columns, and among those of which a percentile is
 * asked.
 */
function propertyMetric(
  name: string,
  key: string,
  { column, rank }: { column: number; rank: number },
): Metric {
  const statistic = numericOf(name)?.statistic as keyof typeof statistics
  const { fields, scalar } = propertyValue(key)
  const alias = trustedSql(`number_${column}`)
  const textAlias = trustedSql(`text_${column}`)
  const parts = sumParts(alias)
  return {
    name,
    rowsOf: isPercentile(name) ? 'ranks' : 'events',
    fields,
    column: { alias, textAlias, text: scalar, number: numberOf(textAlias) },
    aggregates: [statistics[statistic](alias, rank, parts)],
    ...(statistic === 'sum' && { parts }),
    read: ([value]) => {
      const number = Number(value ?? Number.NaN)
      // A sum may be beyond the largest double.
      return Number.isFinite(number) ? number : null
    },
    isMoney: key === MONEY_KEY,
    isAdditive: statistic === 'sum',
    needsUsers: false,
    needsSessions: false,
    needsWholeSessions: false,
  }
}

/** The different texts of a property, as its groups are. */
function uniqueMetric(name: string, index: number, key: string): Metric {
  const { fields, text } = propertyValue(key)
  const alias = trustedSql(`value_${index}`)
  return {
    name,
    rowsOf: 'events',
    fields,
    extra: { alias, value: text },
    aggregates: [sql`count(DISTINCT ${alias})`],
    read: toCount,
    isAdditive: false,
    needsUsers: false,
    needsSessions: false,
    needsWholeSessions: false,
  }
}

/** The people or sessions of a group that have an event in it which passes a condition, or their part. */
function rateMetric(
  name: string,
  index: number,
  { of, as }: Rate,
  { test, fields, sets }: Pick<RateTests, 'fields' | 'sets'> & { test: SqlQuery },
): Metric {
  const alias = trustedSql(`passes_${index}`)
  const isOne =
    of === 'people'
      ? sql`is_user_row = 1 AND user_key IS NOT NULL`
      : sql`is_user_row = 0 AND session_key IS NOT NULL`
  const all = sql`count(CASE WHEN ${isOne} THEN 1 END)`
  const passing = sql`count(CASE WHEN ${isOne} AND ${alias} = 1 THEN 1 END)`
  return {
    name,
    rowsOf: 'entities',
    fields: [...fields, ...sets.map(set => ID_OF[set.of])],
    extra: { alias, value: bit(test) },
    ...(as === 'number'
      ? { aggregates: [passing], read: toCount }
      : {
          aggregates: [
            sql`CASE WHEN ${all} = 0 THEN 0e0 ELSE CAST(${passing} AS double) / ${all} END`,
            passing,
            all,
          ],
          read: ([, some, every]) => ratio(Number(some ?? 0), Number(every ?? 0), 3),
        }),
    isAdditive: false,
    needsUsers: of === 'people',
    needsSessions: of === 'sessions',
    needsWholeSessions: false,
  }
}

function isPercentile(name: string): boolean {
  return /^p\d/.test(name)
}

const statistics = {
  sum: (_: SqlQuery, __: number, parts: SumParts) => sumOfParts(parts),
  avg: (column: SqlQuery, _: number, parts: SumParts) =>
    sql`${sumOfParts(parts)} / nullif(count(${column}), 0)`,
  min: (column: SqlQuery) => sql`min(${column})`,
  max: (column: SqlQuery) => sql`max(${column})`,
  p50: (_: SqlQuery, rank: number) => percentile(rank, 50),
  p75: (_: SqlQuery, rank: number) => percentile(rank, 75),
  p90: (_: SqlQuery, rank: number) => percentile(rank, 90),
  p95: (_: SqlQuery, rank: number) => percentile(rank, 95),
  p99: (_: SqlQuery, rank: number) => percentile(rank, 99),
}

function toCount([value]: Row[string][]): number {
  return Number(value ?? 0)
}
