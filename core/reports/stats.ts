import type { z } from 'zod'
import { activity, events, type LakeRead, sessions } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { date, integer, sql } from '#core/sql'
import { DAY_MS, utcDate } from '#core/time'
import type { Stats, StatsGroup, statsQuery } from '#schemas/stats'
import { byValue, distinctUsers, type GroupSet, MAX_GROUPS } from './distinct.ts'
import { range } from './range.ts'
import type { ReportRequest, ReportServices } from './report.ts'
import { ratio } from './rounding.ts'

/** The question, once it is checked. */
export type StatsQuery = Pick<z.output<typeof statsQuery>, 'since' | 'days' | 'groupBy'>

const DEFAULT_DAYS = 7
const HOUR_MS = 3_600_000

type Rows = (statement: SqlQuery) => Promise<Row[]>
/** Buckets that are whole dates; the rollups know no hours. */
type DateGroup = Exclude<StatsGroup, 'hour'>
/** One bucket, name or country with its events and distinct users. `bucket`: hours or days from 1970 to its start. */
type Bucket = { bucket: number; total: number; users: number }
type Counted = { value: string | null; total: number; users: number }

/**
 * GET /stats (contract 1.3), on one snapshot. First what is merely counted; then the distinct users of all those
 * groups in one pass (core/reports/distinct.ts), while the sessions are read beside it.
 */
export async function stats(
  { engine, lakeState, clock }: ReportServices,
  { project, query, signal }: ReportRequest<StatsQuery>,
): Promise<Stats> {
  const now = clock.now()
  const { groupBy } = query
  const { from, to } = range({ ...query, hourly: groupBy === 'hour' }, now, DEFAULT_DAYS)
  const read: LakeRead = { snapshot: await lakeState.lake(), project, from, to }
  const rows: Rows = statement => engine.rows(statement, { signal, snapshot: read.snapshot })
  const [[session = {}], { series, names, countries, users }] = await Promise.all([
    rows(sessionsOf(read)),
    countsWithUsers(rows, read, groupBy),
  ])
  return {
    project: project.name,
    period: { from: utcDate(from), to: utcDate(now), groupBy },
    totals: { unique_users: users, total_events: series.reduce((sum, { total }) => sum + total, 0) },
    timeSeries: series.map(({ bucket, total, users }) => ({
      bucket: bucketName(bucket, groupBy),
      unique_users: users,
      total_events: total,
    })),
    events: names.map(({ value, total, users }) => ({
      event: String(value),
      count: total,
      unique_users: users,
    })),
    sessions: sessionTotals(session),
    countries: countries.map(({ value, total, users }) => ({
      country: value,
      count: total,
      unique_users: users,
    })),
  }
}

async function countsWithUsers(rows: Rows, read: LakeRead, groupBy: StatsGroup) {
  const dateGroup = groupBy === 'hour' ? 'day' : groupBy
  const counts = await rows(countsOf(read, dateGroup))
  const of = (kind: number): Row[] => counts.filter(row => row.kind === kind)
  const values = (found: Row[]) => found.map(row => (row.value === null ? null : String(row.value)))
  const [names, countries, buckets] = [of(COUNTS.event), of(COUNTS.country), of(COUNTS.bucket)]
  const dates = groupBy === 'hour' ? null : byDate(groupBy, buckets)
  const [users, series] = await Promise.all([
    distinctUsers(rows, activity(read), [
      byValue(sql`event`, values(names)),
      byValue(sql`country`, values(countries)),
      ...(dates === null ? [] : [dates.family]),
    ]),
    dates === null ? rows(groupBy === 'hour' ? hoursOf(read) : bucketsOf(read, dateGroup)) : buckets,
  ])
  const [ofName = [], ofCountry = [], ofDate] = users.groups
  const counted = (row: Row, found: number | undefined): Counted => ({
    value: row.value == null ? null : String(row.value),
    total: Number(row.total),
    users: found ?? 0,
  })
  return {
    users: users.total,
    names: names.map((row, i) => counted(row, ofName[i])),
    countries: countries.map((row, i) => counted(row, ofCountry[i])),
    series: series.map((row): Bucket => {
      const bucket = Number(row.bucket)
      const found = dates === null ? Number(row.users) : ofDate?.[dates.group(bucket)]
      return { bucket, total: Number(row.total), users: found ?? 0 }
    }),
  }
}

/**
 * The buckets of dates as a family, from the first one that has events to the last; null when those are more than a
 * family holds. `group` tells where a bucket stands in it.
 */
function byDate(
  groupBy: DateGroup,
  buckets: readonly Row[],
): { family: GroupSet; group: (bucket: number) => number } | null {
  const [first = 0, last = 0] = [buckets[0], buckets.at(-1)].map(row => Number(row?.bucket ?? 0))
  const group = (bucket: number): number => ordinal(bucket, groupBy) - ordinal(first, groupBy)
  const size = group(last) + 1
  if (size > MAX_GROUPS) return null
  const start = date(utcDate(first * DAY_MS))
  const groupIndex = {
    day: sql`date_diff('day', ${start}, date) + 1`,
    week: sql`date_diff('day', ${start}, date) / 7 + 1`,
    month: sql`date_diff('month', ${start}, date) + 1`,
  }[groupBy]
  return { family: { groupIndex, size }, group }
}

/** Numbers buckets by their first days (from 1970) so that neighbours differ by one. */
function ordinal(firstDay: number, groupBy: DateGroup): number {
  if (groupBy === 'day') return firstDay
  if (groupBy === 'week') return Math.floor((firstDay - MONDAY) / 7)
  const first = new Date(firstDay * DAY_MS)
  return first.getUTCFullYear() * 12 + first.getUTCMonth()
}

/** 1970-01-05. */
const MONDAY = 4

/** What `grouping` says of the three groupings of countsOf: a bit for each column that is not grouped by. */
const COUNTS = { bucket: 0b011, event: 0b101, country: 0b110 } as const

/**
 * Rows (kind, bucket, value, total): the events of each bucket, as days from 1970 to its first date; of the 20 most
 * frequent names; and of the 20 most frequent countries, ties by the value's code points, null last (R15, U39).
 */
function countsOf(read: LakeRead, groupBy: DateGroup): SqlQuery {
  return sql`SELECT kind, bucket, value, total
    FROM (SELECT kind, bucket, value, total,
        row_number() OVER (PARTITION BY kind ORDER BY total DESC, value ASC NULLS LAST) AS place
      FROM (SELECT grouping(bucket_start, event, country) AS kind,
          date_diff('day', DATE '1970-01-01', bucket_start) AS bucket, coalesce(event, country) AS value,
          CAST(sum(event_count) AS bigint) AS total
        FROM (SELECT ${FIRST_DATE[groupBy]} AS bucket_start, event, country, event_count
          FROM ${activity(read)} AS activity) AS dated
        GROUP BY GROUPING SETS ((bucket_start), (event), (country))) AS counted) AS placed
    WHERE kind = ${integer(COUNTS.bucket)} OR place <= 20
    ORDER BY kind, bucket, place`
}

/** `bucket`: days from 1970 to the bucket's first date, with its distinct users. */
function bucketsOf(read: LakeRead, groupBy: DateGroup): SqlQuery {
  return sql`SELECT date_diff('day', DATE '1970-01-01', bucket_start) AS bucket,
      CAST(sum(event_count) AS bigint) AS total, count(DISTINCT visitor) AS users
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
      count(*) AS total, count(DISTINCT user_id) AS users
    FROM (SELECT date_trunc('hour', timestamp) AS hour_start, user_id
      FROM ${events(read, ['timestamp', 'user_id'])} AS each_event) AS by_hour
    GROUP BY hour_start ORDER BY bucket`
}

function sessionsOf(read: LakeRead): SqlQuery {
  return sql`SELECT count(*) AS sessions, count(DISTINCT user_key) AS users,
      CAST(sum(is_bounce) AS bigint) AS bounces,
      CAST(sum(date_diff('millisecond', start_at, end_at)) AS bigint) AS duration,
      CAST(sum(event_count) AS bigint) AS events
    FROM ${sessions(read)} AS session`
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

function bucketName(bucket: number, groupBy: StatsGroup): string {
  if (groupBy === 'hour') return `${new Date(bucket * HOUR_MS).toISOString().slice(0, 13)}:00`
  const first = utcDate(bucket * DAY_MS)
  return groupBy === 'month' ? first.slice(0, 7) : first
}
