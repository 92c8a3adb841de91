import type { Answer } from '#dashboard/api'
import { bucketsOf, type Interval } from '#dashboard/range'

/** The same numbers, whichever read has told them. */
export type Totals = {
  visitors: number
  sessions: number
  events: number
  bounce_rate: number | null
  single_page_rate: number | null
  duration: number | null
}

export type OverviewNumbers = {
  totals: Totals
  before: Totals | null
  /** First date of the period before; null: none was asked for. */
  beforeFrom: string | null
  interval: Interval
  buckets: string[]
  /** The last date of the range. */
  to: string
  now: Series
  earlier: Series | null
}
/** A value for each bucket; null: it has not come yet. */
export type Series = { visitors: (number | null)[]; events: (number | null)[] }

type Stats = Answer<'GET /stats'>
type Query = Answer<'POST /query'>

/** Buckets that begin after this one are in the future. */
export type Now = { date: string; hour: number }

/** `statsBefore`: those of the same dates a year ago, where these are compared. */
export function fromStats(stats: Stats, now: Now, statsBefore?: Stats): OverviewNumbers {
  const { period } = stats
  const previous = statsBefore ?? stats.previous
  const interval = period.groupBy
  const buckets = bucketsOf(period.from, period.to, interval)
  const times = previous ? bucketsOf(previous.period.from, previous.period.to, interval) : []
  const rows = (each: Pick<Stats, 'timeSeries'>) =>
    new Map(
      each.timeSeries.map(({ bucket, unique_users, total_events }) => [
        bucket,
        [unique_users, total_events] as const,
      ]),
    )
  return {
    totals: totalsOfStats(stats),
    before: previous ? withEvents(totalsOfStats(previous)) : null,
    beforeFrom: previous?.period.from ?? null,
    interval,
    buckets,
    to: period.to,
    now: seriesOf(buckets, rows(stats), now),
    earlier: previous ? withValues(seriesOf(times, rows(previous))) : null,
  }
}

function totalsOfStats({ totals, sessions }: Pick<Stats, 'totals' | 'sessions'>): Totals {
  return {
    visitors: totals.unique_users,
    sessions: sessions.total_sessions,
    events: totals.total_events,
    bounce_rate: sessions.bounce_rate,
    // POST /query answers it, beside.
    single_page_rate: null,
    duration: sessions.avg_duration,
  }
}

/** The same with what POST /query answers beside GET /stats. */
export function withSinglePages(numbers: OverviewNumbers, single: Query | undefined): OverviewNumbers {
  if (single === undefined) return numbers
  const of = (answer: Pick<Query, 'rows'> | undefined) => numberOf(answer?.rows[0]?.single_page_rate)
  return {
    ...numbers,
    totals: { ...numbers.totals, single_page_rate: of(single) },
    before: numbers.before && { ...numbers.before, single_page_rate: of(single.previous) },
  }
}

type QueryParts = {
  totals: Query
  series: Query
  totalsBefore?: Query | undefined
  seriesBefore?: Query | undefined
}

export function fromQueries(
  { totals, series, totalsBefore, seriesBefore }: QueryParts,
  now: Now,
): OverviewNumbers {
  const queryBefore = totals.previous ?? totalsBefore
  const before = queryBefore?.rows[0]
  const rowsBefore = series.previous ?? seriesBefore
  const { from, to } = totals.period
  const buckets = bucketsOf(from, to, 'day')
  return {
    totals: totalsOfRow(totals.rows[0]),
    before: before === undefined ? null : withEvents(totalsOfRow(before)),
    beforeFrom: queryBefore?.period.from ?? null,
    interval: 'day',
    buckets,
    to,
    now: seriesOf(buckets, rowsByDate(series.rows), now),
    earlier: rowsBefore
      ? withValues(
          seriesOf(
            bucketsOf(rowsBefore.period.from, rowsBefore.period.to, 'day'),
            rowsByDate(rowsBefore.rows),
          ),
        )
      : null,
  }
}

/** Before the first event there is nothing to compare with. */
function withEvents(totals: Totals): Totals | null {
  return totals.events === 0 ? null : totals
}

function withValues(series: Series): Series | null {
  return series.events.some(value => value !== null && value > 0) ? series : null
}

type Row = Query['rows'][number]

function numberOf(value: Row[string] | undefined): number | null {
  return value == null ? null : Number(value)
}

function totalsOfRow(row: Row = {}): Totals {
  return {
    visitors: Number(row.unique_users ?? 0),
    sessions: Number(row.session_count ?? 0),
    events: Number(row.event_count ?? 0),
    bounce_rate: numberOf(row.bounce_rate),
    single_page_rate: numberOf(row.single_page_rate),
    duration: numberOf(row.avg_duration),
  }
}

function rowsByDate(rows: readonly Row[]) {
  return new Map(
    rows.map(row => [
      String(row.date),
      [Number(row.unique_users ?? 0), Number(row.event_count ?? 0)] as const,
    ]),
  )
}

function seriesOf(
  buckets: readonly string[],
  rows: ReadonlyMap<string, readonly [visitors: number, events: number]>,
  now?: Now,
): Series {
  const at = now && `${now.date}T${String(now.hour).padStart(2, '0')}:00`
  const isAhead = (bucket: string) => at !== undefined && bucket.includes('T') && bucket > at
  const pick = (column: 0 | 1) =>
    buckets.map(bucket => (isAhead(bucket) ? null : (rows.get(bucket)?.[column] ?? 0)))
  return { visitors: pick(0), events: pick(1) }
}
