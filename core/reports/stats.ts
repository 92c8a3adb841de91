import type { z } from 'zod'
import { activity, events, type LakeRead, visits } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { date, sql } from '#core/sql'
import type { Stats, StatsGroup, statsQuery } from '#schemas/stats'
import { distinctUsers } from './distinct.ts'
import { range, utcDate } from './range.ts'
import { ratio } from './rounding.ts'
import type { ReportRequest, ReportServices } from './services.ts'

/** The question, once it is checked. */
export type StatsQuestion = Pick<z.output<typeof statsQuery>, 'since' | 'days' | 'groupBy'>

const DEFAULT_DAYS = 7
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const BUCKET_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 28 * DAY_MS } as const
/** From so many on, counting the users of each bucket by itself costs less than one pass over all of them. */
const MANY_BUCKETS = 64

/**
 * GET /stats (contract 1.3), on one snapshot. First what is merely counted; then the distinct users of all those
 * groups in one pass (core/reports/distinct.ts), while the sessions are read beside it.
 */
export async function stats(
  { engine, lakeState, clock }: ReportServices,
  { project, query, signal }: ReportRequest<StatsQuestion>,
): Promise<Stats> {
  const now = clock.now()
  const { groupBy } = query
  const { from, to } = range({ ...query, hourly: groupBy === 'hour' }, now, DEFAULT_DAYS)
  const read: LakeRead = { snapshot: await lakeState.lake(), project, from, to }
  const ownUsers = groupBy === 'hour' || (to - from) / BUCKET_MS[groupBy] > MANY_BUCKETS
  const rows = (statement: SqlQuery): Promise<Row[]> => engine.rows(statement, { signal })
  const sessionRows = rows(sessionsOf(read))
  const counted = Promise.all([
    rows(groupBy === 'hour' ? hoursOf(read) : seriesOf(read, groupBy, ownUsers)),
    rows(topOf(read, sql`event`)),
    rows(topOf(read, sql`country`)),
  ]).then(async ([series, names, countries]) => {
    const users = await distinctUsers(rows, activity(read), [
      names.map(row => sql`event = ${String(row.value)}`),
      countries.map(row => (row.value === null ? sql`country IS NULL` : sql`country = ${String(row.value)}`)),
      ownUsers ? [] : series.map(row => datesOf(Number(row.bucket), groupBy)),
    ])
    return { series, names, countries, users }
  })
  const [[session = {}], { series, names, countries, users }] = await Promise.all([sessionRows, counted])
  const [byEvent, byCountry, byBucket] = users.groups
  return {
    project: project.name,
    period: { from: utcDate(from), to: utcDate(now), groupBy },
    totals: {
      unique_users: users.total,
      total_events: series.reduce((sum, row) => sum + Number(row.total), 0),
    },
    timeSeries: series.map((row, i) => ({
      bucket: bucketName(Number(row.bucket), groupBy),
      unique_users: ownUsers ? Number(row.unique_users) : at(byBucket, i),
      total_events: Number(row.total),
    })),
    events: names.map((row, i) => ({
      event: String(row.value),
      count: Number(row.total),
      unique_users: at(byEvent, i),
    })),
    sessions: sessionTotals(session),
    countries: countries.map((row, i) => ({
      country: row.value === null ? null : String(row.value),
      count: Number(row.total),
      unique_users: at(byCountry, i),
    })),
  }
}

/** `bucket`: days from 1970 to the bucket's first date; with `unique_users` when they are asked for. */
function seriesOf(read: LakeRead, groupBy: Exclude<StatsGroup, 'hour'>, ownUsers: boolean): SqlQuery {
  return sql`SELECT date_diff('day', DATE '1970-01-01', bucket_start) AS bucket,
      CAST(sum(event_count) AS bigint) AS total${ownUsers ? sql`, count(DISTINCT visitor) AS unique_users` : sql``}
    FROM (SELECT ${FIRST_DATE[groupBy]} AS bucket_start, visitor, event_count FROM ${activity(read)} AS activity) AS by_date
    GROUP BY bucket_start ORDER BY bucket`
}

const FIRST_DATE = {
  day: sql`date`,
  week: sql`CAST(date_trunc('week', date) AS date)`,
  month: sql`CAST(date_trunc('month', date) AS date)`,
} as const

/** `bucket`: hours from 1970. The rollups know no hours, so the users are counted here too. */
function hoursOf(read: LakeRead): SqlQuery {
  return sql`SELECT date_diff('hour', TIMESTAMP '1970-01-01 00:00:00.000', hour_start) AS bucket,
      count(*) AS total, count(DISTINCT user_id) AS unique_users
    FROM (SELECT date_trunc('hour', timestamp) AS hour_start, user_id
      FROM ${events(read, ['timestamp', 'user_id'])} AS each_event) AS by_hour
    GROUP BY hour_start ORDER BY bucket`
}

/** Whether an activity row lies in the bucket whose first date is so many days after 1970. */
function datesOf(firstDay: number, groupBy: Exclude<StatsGroup, 'hour'>): SqlQuery {
  const first = new Date(firstDay * DAY_MS)
  const last = {
    day: firstDay,
    week: firstDay + 6,
    month: Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0) / DAY_MS,
  }[groupBy]
  return sql`date BETWEEN ${date(utcDate(firstDay * DAY_MS))} AND ${date(utcDate(last * DAY_MS))}`
}

/** The 20 most frequent values of a column; ties by the value's code points, null last (R15, U39). */
function topOf(read: LakeRead, column: SqlQuery): SqlQuery {
  return sql`SELECT ${column} AS value, CAST(sum(event_count) AS bigint) AS total
    FROM ${activity(read)} AS activity
    GROUP BY ${column} ORDER BY total DESC, value ASC NULLS LAST LIMIT 20`
}

function sessionsOf(read: LakeRead): SqlQuery {
  return sql`SELECT count(*) AS sessions, count(DISTINCT user_key) AS users,
      CAST(sum(CASE WHEN interactive_count = 0 THEN 1 ELSE 0 END) AS bigint) AS bounces,
      CAST(sum(date_diff('millisecond', start_at, end_at)) AS bigint) AS duration,
      CAST(sum(event_count) AS bigint) AS events
    FROM ${visits(read)} AS visit`
}

function sessionTotals(row: Row): Stats['sessions'] {
  const sessions = Number(row.sessions ?? 0)
  return {
    total_sessions: sessions,
    bounce_rate: ratio(Number(row.bounces ?? 0), sessions, 3),
    avg_duration: ratio(Number(row.duration ?? 0), sessions, 0),
    pages_per_session: ratio(Number(row.events ?? 0), sessions, 1),
    sessions_per_user: ratio(sessions, Math.max(1, Number(row.users ?? 0)), 1),
  }
}

function at(counts: readonly number[] | undefined, index: number): number {
  return counts?.[index] ?? 0
}

function bucketName(bucket: number, groupBy: StatsGroup): string {
  if (groupBy === 'hour') return `${new Date(bucket * HOUR_MS).toISOString().slice(0, 13)}:00`
  const first = utcDate(bucket * DAY_MS)
  return groupBy === 'month' ? first.slice(0, 7) : first
}
