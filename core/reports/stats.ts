import type { z } from 'zod'
import type { LakeRead } from '#core/lake/read/lake-read'
import { activity, eventCounts, events, sessions } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import { date, integer, sql } from '#core/sql/sql'
import { DAY_MS, utcDate } from '#core/time'
import { namesOf } from '#schemas/compare'
import {
  type Stats,
  type StatsGroup,
  type StatsOfPeriod,
  statsOfPeriod,
  type statsQuery,
} from '#schemas/stats'
import { toDelta } from './run/delta.ts'
import { toRange } from './run/range.ts'
import { ratio } from './run/rounding.ts'
import { defineReport, toPeriod } from './run/run.ts'
import type { ReadRows } from './run/statements.ts'
import { countDistinct, type GroupSet, groupByValue, MAX_GROUPS } from './sql/distinct.ts'

export type StatsParams = Omit<z.output<typeof statsQuery>, 'project'>

const HOUR_MS = 3_600_000

/** Event names and countries that the response lists. */
const TOP = 20

/** Intervals that consist of whole dates. The rollups have no hours. */
type DateGroup = Exclude<StatsGroup, 'hour'>
/** `start`: hours (for intervals of an hour) or days from 1970-01-01 to the start of the interval. */
type Interval = { start: number; total: number; users: number }
/** An event name or a country. */
type Value = { value: string | null; total: number; users: number }

/**
 * GET /stats (docs/api/stats.md). One statement reads the sessions. Beside it, a first statement counts
 * events by interval, name and country; a second one counts the distinct users of all these groups in one
 * pass (core/reports/sql/distinct.ts).
 */
export const stats = defineReport<StatsParams, Stats>({
  range: (params, context) =>
    toRange(params, context, { defaultDays: 7, isHourly: params.groupBy === 'hour' }),
  async compute(rows, request) {
    const { project, zone, range, read } = request
    const { groupBy } = request.params
    const localTimestamp = zone.isUtc ? null : zone.localTimestamp(range)
    const [[sessionRow = {}], { intervals, eventNames, countries, users, isCut }] = await Promise.all([
      rows(sessionsSql(read)),
      countEventsAndUsers(rows, { read, localTimestamp }, groupBy),
    ])
    return {
      project: project.name,
      period: { ...toPeriod(request), groupBy },
      totals: { unique_users: users, total_events: intervals.reduce((sum, { total }) => sum + total, 0) },
      timeSeries: intervals.map(({ start, total, users }) => ({
        bucket: intervalName(start, groupBy),
        unique_users: users,
        total_events: total,
      })),
      events: eventNames.map(({ value, total, users }) => ({
        event: String(value),
        count: total,
        unique_users: users,
      })),
      sessions: sessionTotals(sessionRow),
      countries: countries.map(({ value, total, users }) => ({
        country: value,
        count: total,
        unique_users: users,
      })),
      ...(isCut && { truncated: true as const }),
    }
  },
  compared: {
    fields: namesOf(statsOfPeriod),
    add: (current, previous) => ({ changes: toChanges(current, previous) }),
  },
})

function toChanges(current: StatsOfPeriod, previous: StatsOfPeriod): NonNullable<Stats['changes']> {
  return {
    total_events: toDelta(current.totals.total_events, previous.totals.total_events, 0),
    unique_users: toDelta(current.totals.unique_users, previous.totals.unique_users, 0),
    total_sessions: toDelta(current.sessions.total_sessions, previous.sessions.total_sessions, 0),
    bounce_rate: toDelta(current.sessions.bounce_rate, previous.sessions.bounce_rate, 3),
    single_page_rate: toDelta(current.sessions.single_page_rate, previous.sessions.single_page_rate, 3),
    avg_duration: toDelta(current.sessions.avg_duration, previous.sessions.avg_duration, 0),
  }
}

async function countEventsAndUsers(
  rows: ReadRows,
  { read, localTimestamp }: { read: LakeRead; localTimestamp: SqlQuery | null },
  groupBy: StatsGroup,
) {
  const dateGroup = groupBy === 'hour' ? 'day' : groupBy
  const activityRows = activity(read, localTimestamp)
  const counts = await rows(countsSql(eventCounts(read, localTimestamp), dateGroup))
  const allNameRows = counts.filter(row => row.kind === KINDS.eventName)
  const allCountryRows = counts.filter(row => row.kind === KINDS.country)
  const nameRows = allNameRows.slice(0, TOP)
  const countryRows = allCountryRows.slice(0, TOP)
  const dateRows = counts.filter(row => row.kind === KINDS.interval)
  const dates = groupBy === 'hour' ? null : groupByDate(groupBy, dateRows)
  const [users, intervalRows] = await Promise.all([
    countDistinct(rows, {
      relation: activityRows,
      entity: sql`user_ref`,
      groupSets: [
        groupByValue(sql`event`, nameRows.map(toText)),
        groupByValue(sql`country`, countryRows.map(toText)),
        ...(dates === null ? [] : [dates.groups]),
      ],
    }),
    dates !== null
      ? dateRows
      : rows(
          groupBy === 'hour'
            ? hoursSql(read, localTimestamp ?? sql`timestamp`)
            : intervalsSql(activityRows, dateGroup),
        ),
  ])
  const [usersByName = [], usersByCountry = [], usersByDate = []] = users.groups
  return {
    users: users.total,
    isCut: allNameRows.length > TOP || allCountryRows.length > TOP,
    eventNames: nameRows.map((row, i) => toValue(row, usersByName[i] ?? 0)),
    countries: countryRows.map((row, i) => toValue(row, usersByCountry[i] ?? 0)),
    intervals: intervalRows.map((row): Interval => {
      const start = Number(row.interval_start)
      const users = dates === null ? Number(row.users) : (usersByDate[dates.indexOf(start)] ?? 0)
      return { start, total: Number(row.total), users }
    }),
  }
}

function toText({ value }: Row): string | null {
  return value === null || value === undefined ? null : String(value)
}

function toValue(row: Row, users: number): Value {
  return { value: toText(row), total: Number(row.total), users }
}

/**
 * Groups by interval, from the first interval with events to the last; null if there are more than
 * MAX_GROUPS.
 * `indexOf`: the index of the interval that starts on a day.
 */
function groupByDate(
  groupBy: DateGroup,
  dateRows: readonly Row[],
): { groups: GroupSet; indexOf: (start: number) => number } | null {
  const [first = 0, last = 0] = [dateRows[0], dateRows.at(-1)].map(row => Number(row?.interval_start ?? 0))
  const indexOf = (start: number): number => intervalNumber(start, groupBy) - intervalNumber(first, groupBy)
  const size = indexOf(last) + 1
  if (size > MAX_GROUPS) return null
  const firstDate = date(utcDate(first * DAY_MS))
  const groupIndex = {
    day: sql`date_diff('day', ${firstDate}, date) + 1`,
    week: sql`date_diff('day', ${firstDate}, date) / 7 + 1`,
    month: sql`date_diff('month', ${firstDate}, date) + 1`,
  }[groupBy]
  return { groups: { groupIndex, size }, indexOf }
}

/** Numbers the intervals consecutively. `firstDay`: days from 1970-01-01. */
function intervalNumber(firstDay: number, groupBy: DateGroup): number {
  if (groupBy === 'day') return firstDay
  if (groupBy === 'week') return Math.floor((firstDay - FIRST_MONDAY) / 7)
  const first = new Date(firstDay * DAY_MS)
  return first.getUTCFullYear() * 12 + first.getUTCMonth()
}

/** 1970-01-05, in days from 1970-01-01. */
const FIRST_MONDAY = 4

/**
 * The values of `grouping` for the three grouping sets of countsSql: each column that the set lacks gives a 1
 * bit.
 */
const KINDS = { interval: 0b011, eventName: 0b101, country: 0b110 } as const

/**
 * Rows (kind, interval_start, value, total, rank_in_kind): the events of each interval, and of the most
 * frequent names and countries, one more of each than the response lists. Ties are ordered by the code points
 * of the value, null last (R15, U39).
 */
function countsSql(counts: SqlQuery, groupBy: DateGroup): SqlQuery {
  return sql`SELECT kind, interval_start, value, total, rank_in_kind
    FROM (SELECT kind, interval_start, value, total,
        row_number() OVER (PARTITION BY kind ORDER BY total DESC, value ASC NULLS LAST, interval_start) AS rank_in_kind
      FROM (SELECT grouping(first_date, event, country) AS kind,
          date_diff('day', DATE '1970-01-01', first_date) AS interval_start, coalesce(event, country) AS value,
          CAST(sum(event_count) AS bigint) AS total
        FROM (SELECT ${FIRST_DATE[groupBy]} AS first_date, event, country, event_count
          FROM ${counts} AS event_counts) AS dated_counts
        GROUP BY GROUPING SETS ((first_date), (event), (country))) AS totals) AS ranked_totals
    WHERE kind = ${integer(KINDS.interval)} OR rank_in_kind <= ${integer(TOP + 1)}
    ORDER BY kind, interval_start, rank_in_kind`
}

/** Events and distinct users by interval. `interval_start`: days from 1970-01-01. */
function intervalsSql(activityRows: SqlQuery, groupBy: DateGroup): SqlQuery {
  return sql`SELECT date_diff('day', DATE '1970-01-01', first_date) AS interval_start,
      CAST(sum(event_count) AS bigint) AS total, count(DISTINCT user_ref) AS users
    FROM (SELECT ${FIRST_DATE[groupBy]} AS first_date, user_ref, event_count FROM ${activityRows} AS activity)
      AS dated_activity
    GROUP BY first_date ORDER BY interval_start`
}

const FIRST_DATE = {
  day: sql`date`,
  week: sql`CAST(date_trunc('week', date) AS date)`,
  month: sql`CAST(date_trunc('month', date) AS date)`,
} as const

/**
 * Events and distinct users by hour, from the events because the rollups have no hours. `interval_start`:
 * hours from 1970-01-01.
 */
function hoursSql(read: LakeRead, localTimestamp: SqlQuery): SqlQuery {
  return sql`SELECT date_diff('hour', TIMESTAMP '1970-01-01 00:00:00.000', first_moment) AS interval_start,
      count(*) AS total, count(DISTINCT user_id) AS users
    FROM (SELECT date_trunc('hour', ${localTimestamp}) AS first_moment, user_id
      FROM ${events(read, ['timestamp', 'user_id'])} AS each_event) AS timed_events
    GROUP BY first_moment ORDER BY interval_start`
}

function sessionsSql(read: LakeRead): SqlQuery {
  const fields = ['user_key', 'start_at', 'end_at', 'event_count', 'is_bounce', 'page_view_count'] as const
  return sql`SELECT count(*) AS sessions, count(DISTINCT user_key) AS users,
      CAST(sum(is_bounce) AS bigint) AS bounces,
      count(CASE WHEN page_view_count = 1 THEN 1 END) AS single_pages,
      CAST(sum(date_diff('millisecond', start_at, end_at)) AS bigint) AS duration,
      CAST(sum(event_count) AS bigint) AS events
    FROM ${sessions(read, fields)} AS session`
}

function sessionTotals(row: Row): Stats['sessions'] {
  const sessions = Number(row.sessions ?? 0)
  return {
    total_sessions: sessions,
    bounce_rate: ratio(Number(row.bounces ?? 0), sessions, 3),
    single_page_rate: ratio(Number(row.single_pages ?? 0), sessions, 3),
    avg_duration: ratio(Number(row.duration ?? 0), sessions, 0),
    pages_per_session: ratio(Number(row.events ?? 0), sessions, 1),
    sessions_per_user: ratio(sessions, Math.max(1, Number(row.users ?? 0)), 1),
  }
}

/** The name of an interval in the response, e.g. `2026-11-18T15:00`, `2026-11-18` or `2026-11`. */
function intervalName(start: number, groupBy: StatsGroup): string {
  if (groupBy === 'hour') return `${new Date(start * HOUR_MS).toISOString().slice(0, 13)}:00`
  const firstDate = utcDate(start * DAY_MS)
  return groupBy === 'month' ? firstDate.slice(0, 7) : firstDate
}
