import type { Answer } from '#dashboard/api'
import { numberOf } from '#dashboard/format'
import { bucketsOf, type Interval } from '#dashboard/range'
import type { DatePair } from '#dashboard/url'
import { type Line, METRIC_OF } from './lines.ts'

/** The same numbers, whichever read has told them. Null: not known, or there is no session to divide by. */
export type Totals = {
  visitors: number
  page_views: number | null
  sessions: number
  events: number
  bounce_rate: number | null
  single_page_rate: number | null
  /** ms. */
  duration: number | null
}

export type OverviewNumbers = {
  totals: Totals
  before: Totals | null
  /** The dates of `before`; null: nothing is compared. */
  compared: DatePair | null
}

/** A value for each bucket; null: it has not come yet, or there is none. */
type Values = (number | null)[]

/** One number over time. */
export type Course = {
  interval: Interval
  buckets: string[]
  /** The last date of the buckets. */
  to: string
  now: Values
  /** Of the dates that are compared, from their first one on; null without events in them. */
  earlier: Values | null
}

type Stats = Answer<'GET /stats'>
type Query = Answer<'POST /query'>
type Rows = Query['rows']

/** Buckets that begin after this one are in the future. */
export type Now = { date: string; hour: number }

export function fromStats(stats: Stats): OverviewNumbers {
  const { previous } = stats
  return {
    totals: totalsOfStats(stats),
    before: previous ? withEvents(totalsOfStats(previous)) : null,
    compared: previous?.period ?? null,
  }
}

type PartOfStats = Pick<Stats, 'totals' | 'sessions' | 'events' | 'truncated'>

function totalsOfStats({ totals, sessions, events, truncated }: PartOfStats): Totals {
  const views = events.find(({ event }) => event === 'page_view')?.count
  return {
    visitors: totals.unique_users,
    // The list has only the most frequent events. If it is cut and has no row for page views, their number is
    // unknown. If it is complete, the number is 0.
    page_views: views ?? (truncated ? null : 0),
    sessions: sessions.total_sessions,
    events: totals.total_events,
    bounce_rate: sessions.bounce_rate,
    single_page_rate: sessions.single_page_rate,
    duration: sessions.avg_duration,
  }
}

/** `events`: the list by events, which has the page views of a share link with filters. */
export function fromQuery(totals: Query, events: Query | undefined): OverviewNumbers {
  const { previous } = totals
  const views = events?.rows.find(({ event }) => event === 'page_view')?.event_count
  return {
    totals: totalsOfRow(totals.rows[0], numberOf(views)),
    before: previous ? withEvents(totalsOfRow(previous.rows[0], null)) : null,
    compared: previous?.period ?? null,
  }
}

/** Before the first event there is nothing to compare with. */
function withEvents(totals: Totals): Totals | null {
  return totals.events === 0 ? null : totals
}

function totalsOfRow(row: Rows[number] = {}, page_views: number | null): Totals {
  return {
    visitors: Number(row.unique_users ?? 0),
    page_views,
    sessions: Number(row.session_count ?? 0),
    events: Number(row.event_count ?? 0),
    bounce_rate: numberOf(row.bounce_rate),
    single_page_rate: numberOf(row.single_page_rate),
    duration: numberOf(row.avg_duration),
  }
}

/** The course of a number that GET /stats has by interval. */
export function courseOfStats(stats: Stats, column: 'unique_users' | 'total_events', now: Now): Course {
  const interval = stats.period.groupBy
  const pairs = ({ timeSeries }: Pick<Stats, 'timeSeries'>) =>
    timeSeries.map(each => [each.bucket, each[column]] as const)
  return courseOf(
    { period: stats.period, pairs: pairs(stats) },
    stats.previous && { period: stats.previous.period, pairs: pairs(stats.previous) },
    { interval, now, none: 0 },
  )
}

/** The course of a number that POST /query has by date, or by date and hour. */
export function courseOfQuery(query: Query, line: Line, interval: 'hour' | 'day', now: Now): Course {
  const metric = METRIC_OF[line]
  const told = ({ period, rows, truncated }: Pick<Query, 'period' | 'rows' | 'truncated'>): Told => {
    const pairs = pairsOf(rows)
    return { period, pairs, ...(truncated === true && { knownTo: pairs.at(-1)?.[0] ?? '' }) }
  }
  const pairsOf = (rows: Rows) =>
    rows.map(row => {
      const hour = String(row.hour ?? '').padStart(2, '0')
      return [
        interval === 'hour' ? `${row.date}T${hour}:00` : String(row.date),
        numberOf(row[metric]),
      ] as const
    })
  // A rate of no session is no rate.
  const none = metric.endsWith('_count') || metric === 'unique_users' ? 0 : null
  return courseOf(told(query), query.previous && told(query.previous), { interval, now, none })
}

type Told = {
  period: DatePair
  pairs: (readonly [bucket: string, value: number | null])[]
  /** The last bucket of an answer that is cut: nothing is known of later ones. */
  knownTo?: string
}
type HowCourse = { interval: Interval; now: Now /** Of a bucket without a row. */; none: 0 | null }

function courseOf(told: Told, before: Told | undefined, { interval, now, none }: HowCourse): Course {
  const at = `${now.date}T${String(now.hour).padStart(2, '0')}:00`
  const buckets = bucketsOf(told.period.from, told.period.to, interval)
  const valuesOf = (
    { pairs, knownTo = '9' }: Told,
    times: readonly string[],
    isAhead: (bucket: string) => boolean,
  ) => {
    const values = new Map(pairs)
    return times.map(each => (isAhead(each) || each > knownTo ? null : (values.get(each) ?? none)))
  }
  const earlier =
    before &&
    valuesOf(before, bucketsOf(before.period.from, before.period.to, interval), () => false).slice(
      0,
      buckets.length,
    )
  return {
    interval,
    buckets,
    to: told.period.to,
    now: valuesOf(told, buckets, each => each.includes('T') && each > at),
    earlier: earlier?.some(value => value !== null && value > 0) ? earlier : null,
  }
}
