import type { z } from 'zod'
import { activity, events, type LakeRead, visits } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { sql } from '#core/sql'
import type { Stats, StatsGroup, statsQuery } from '#schemas/stats'
import { range, utcDate } from './range.ts'
import { ratio } from './rounding.ts'
import type { ReportRequest, ReportServices } from './services.ts'

/** The question, once it is checked. */
export type StatsQuestion = Pick<z.output<typeof statsQuery>, 'since' | 'days' | 'groupBy'>

const DEFAULT_DAYS = 7
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** GET /stats (contract 1.3). Five statements on one snapshot: simple groupings cost less than grouping sets. */
export async function stats(
  { engine, lakeState, clock }: ReportServices,
  { project, query, signal }: ReportRequest<StatsQuestion>,
): Promise<Stats> {
  const now = clock.now()
  const { groupBy } = query
  const { from, to } = range({ ...query, hourly: groupBy === 'hour' }, now, DEFAULT_DAYS)
  const read: LakeRead = { snapshot: await lakeState.lake(), project, from, to }
  const rows = (statement: SqlQuery): Promise<Row[]> => engine.rows(statement, { signal })
  const [totals, series, names, sessions, countries] = await Promise.all([
    rows(totalsOf(read)),
    rows(seriesOf(read, groupBy)),
    rows(topOf(read, sql`event`)),
    rows(sessionsOf(read)),
    rows(topOf(read, sql`country`)),
  ])
  return {
    project: project.name,
    period: { from: utcDate(from), to: utcDate(now), groupBy },
    totals: {
      unique_users: Number(totals[0]?.unique_users ?? 0),
      total_events: Number(totals[0]?.total_events ?? 0),
    },
    timeSeries: series.map(row => ({
      bucket: bucketName(Number(row.bucket), groupBy),
      unique_users: Number(row.unique_users),
      total_events: Number(row.total_events),
    })),
    events: names.map(row => ({ event: String(row.value), ...counted(row) })),
    sessions: sessionTotals(sessions[0] ?? {}),
    countries: countries.map(row => ({
      country: row.value === null ? null : String(row.value),
      ...counted(row),
    })),
  }
}

function totalsOf(read: LakeRead): SqlQuery {
  return sql`SELECT CAST(sum(event_count) AS bigint) AS total_events, count(DISTINCT visitor) AS unique_users
    FROM ${activity(read)} AS activity`
}

/** `bucket`: hours, or days to the bucket's first date, since 1970. */
function seriesOf(read: LakeRead, groupBy: StatsGroup): SqlQuery {
  if (groupBy === 'hour') {
    return sql`SELECT date_diff('hour', TIMESTAMP '1970-01-01 00:00:00.000', hour_start) AS bucket,
        count(*) AS total_events, count(DISTINCT user_id) AS unique_users
      FROM (SELECT date_trunc('hour', timestamp) AS hour_start, user_id
        FROM ${events(read, ['timestamp', 'user_id'])} AS each_event) AS by_hour
      GROUP BY hour_start ORDER BY bucket`
  }
  return sql`SELECT date_diff('day', DATE '1970-01-01', bucket_start) AS bucket,
      CAST(sum(event_count) AS bigint) AS total_events, count(DISTINCT visitor) AS unique_users
    FROM (SELECT ${FIRST_DATE[groupBy]} AS bucket_start, visitor, event_count
      FROM ${activity(read)} AS activity) AS by_date
    GROUP BY bucket_start ORDER BY bucket`
}

const FIRST_DATE = {
  day: sql`date`,
  week: sql`CAST(date_trunc('week', date) AS date)`,
  month: sql`CAST(date_trunc('month', date) AS date)`,
} as const

/** The 20 most frequent values of a column; ties by the value's code points, null last (R15, U39). */
function topOf(read: LakeRead, column: SqlQuery): SqlQuery {
  return sql`SELECT ${column} AS value, CAST(sum(event_count) AS bigint) AS total,
      count(DISTINCT visitor) AS unique_users
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

function counted(row: Row): { count: number; unique_users: number } {
  return { count: Number(row.total), unique_users: Number(row.unique_users) }
}

function bucketName(bucket: number, groupBy: StatsGroup): string {
  if (groupBy === 'hour') return `${new Date(bucket * HOUR_MS).toISOString().slice(0, 13)}:00`
  const first = utcDate(bucket * DAY_MS)
  return groupBy === 'month' ? first.slice(0, 7) : first
}
