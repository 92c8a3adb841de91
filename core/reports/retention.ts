import type { z } from 'zod'
import { shortKey } from '#core/lake/consume/id-keys'
import type { EventField, LakeRead } from '#core/lake/read/lake-read'
import { events, hasIdsAsKeys, sessions, sessionsOfEvents } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import { integer, join, sql, timestamp } from '#core/sql'
import { DAY_MS } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import type { RetentionPeriod, retentionQuery, retentionResponse } from '#schemas/retention'
import { toRange } from './run/range.ts'
import { ratio } from './run/rounding.ts'
import { defineReport, type ReportRequest, toPeriod } from './run/run.ts'
import { addDays } from './run/zone.ts'

export type RetentionParams = Omit<z.output<typeof retentionQuery>, 'project'>
type RetentionRequest = ReportRequest<RetentionParams>

/** Users that are analyzed at most. Of more, an even sample is (U60). */
export const MAX_USERS = 10_000

/** GET /retention (docs/api/retention.md). "First seen" looks at all that the project has stored. */
export const retention = defineReport<RetentionParams, z.input<typeof retentionResponse>>({
  range: (params, { now, zone }) => ({
    from: periodStarts({ params, now, zone })[0]?.from ?? now,
    to: now + EVENT_LIMITS.futureMs + 1,
  }),
  sql: request => retentionSql(request, periodStarts(request)),
  shape(rows, request) {
    const { project, params } = request
    const starts = periodStarts(request)
    const cohorts = starts.flatMap(({ date }, cohort) => {
      const ofCohort = rows.filter(row => row.cohort !== null && Number(row.cohort) === cohort)
      const users = Number(ofCohort[0]?.cohort_users ?? 0)
      if (users === 0) return []
      const active = new Map(ofCohort.map(row => [Number(row.active_period), Number(row.active_users)]))
      const retained = starts.slice(cohort).map((_, i) => (i === 0 ? users : (active.get(cohort + i) ?? 0)))
      return [{ date, users, retained, rates: retained.map(count => ratio(count, users, 3)) }]
    })
    const analyzed = cohorts.reduce((sum, { users }) => sum + users, 0)
    const leftOut = Number(rows.find(row => row.cohort === null)?.cohort_users ?? 0)
    const longest = Math.max(0, ...cohorts.map(({ retained }) => retained.length))
    return {
      project: project.name,
      range: toPeriod(request),
      period: params.period,
      cohorts,
      average_rates: Array.from({ length: longest }, (_, i) => {
        const reached = cohorts.filter(({ retained }) => retained.length > i)
        const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)
        return ratio(
          sumOf(reached.map(({ retained }) => retained[i] ?? 0)),
          sumOf(reached.map(({ users }) => users)),
          3,
        )
      }),
      users_analyzed: analyzed,
      ...(leftOut > 0 && { truncated: true as const, total_users: analyzed + leftOut }),
    }
  },
  namesOfEmpty: ({ event, returning_event }, { cohorts }) =>
    cohorts.every(({ retained }) => retained.slice(1).every(users => users === 0))
      ? { events: [event, returning_event] }
      : null,
})

type PeriodStart = { date: string; from: number }

/** The periods of the cohort window, oldest first; the last one is the current period. */
function periodStarts({
  params: { period, cohorts },
  zone,
  now,
}: Pick<RetentionRequest, 'params' | 'zone' | 'now'>): PeriodStart[] {
  const current = startOfPeriod(zone.dateOf(now), period)
  return Array.from({ length: cohorts }, (_, i) => {
    const date = shiftPeriods(current, period, i - cohorts + 1)
    return { date, from: zone.startOf(date) }
  })
}

function startOfPeriod(date: string, period: RetentionPeriod): string {
  if (period === 'month') return `${date.slice(0, 7)}-01`
  if (period === 'day') return date
  // Days since the last Monday; 1970-01-05 was a Monday.
  const day = Math.floor(Date.parse(date) / DAY_MS) - 4
  return addDays(date, -(((day % 7) + 7) % 7))
}

function shiftPeriods(date: string, period: RetentionPeriod, count: number): string {
  if (period !== 'month') return addDays(date, count * (period === 'week' ? 7 : 1))
  const month = new Date(`${date}T00:00:00Z`)
  month.setUTCMonth(month.getUTCMonth() + count)
  return month.toISOString().slice(0, 10)
}

/**
 * Rows (cohort, cohort_users, active_period, active_users): cohorts and periods are numbered from the oldest
 * period of the window. A user's first activity puts them into a cohort; every later one makes them active in
 * its period. The users that the sample leaves out are the cohort null.
 */
function retentionSql(request: RetentionRequest, starts: readonly PeriodStart[]): SqlQuery {
  const { params, read, zone, now, oldest } = request
  const windowStart = starts[0]?.from ?? now
  const earliest =
    params.since === undefined && params.days === undefined
      ? windowStart
      : Math.max(windowStart, toRange(params, { now, zone }, { defaultDays: 0 }).from)
  const firstEvent = params.event
  const laterEvent = params.returning_event ?? params.event
  const all: LakeRead = { ...read, from: oldest }
  const later: LakeRead = { ...all, from: Math.max(windowStart, all.from) }
  // Both sides must name users in the same way: by user_key if both are sessions of the rollup, else by
  // user_id.
  const areSessions = firstEvent === undefined && laterEvent === undefined
  const areKeys = areSessions && !hasIdsAsKeys(all) && !hasIdsAsKeys(later)
  const sessionsBoth = areKeys ? sessions : sessionsOfEvents
  const firstActivity = activityOf(all, firstEvent, sessionsBoth)
  const firstSeen = sql`SELECT user_ref, min(active_at) AS first_at FROM (${firstActivity}) AS first_activity
        GROUP BY user_ref HAVING min(active_at) >= ${timestamp(earliest)}`
  const ranked = sql`SELECT user_ref, first_at,
        row_number() OVER (ORDER BY ${sampleOrder(request, areKeys)}, user_ref) AS sample_place
      FROM (${firstSeen}) AS user_first`
  const inSample = (value: SqlQuery) => sql`CASE WHEN sample_place <= ${integer(MAX_USERS)} THEN ${value} END`
  const sampled = sql`SELECT sample_ref, max(user_cohort) AS cohort, count(*) AS users
      FROM (SELECT ${inSample(sql`user_ref`)} AS sample_ref, ${inSample(periodNumber(sql`first_at`, starts))} AS user_cohort
        FROM (${ranked}) AS ranked_user) AS cohort_user
      GROUP BY sample_ref`
  const laterActivity = activityOf(later, laterEvent, sessionsBoth)
  const returning = sql`SELECT user_ref AS active_ref, ${periodNumber(sql`active_at`, starts)} AS active_period
      FROM (${laterActivity}) AS activity
      GROUP BY user_ref, ${periodNumber(sql`active_at`, starts)}`
  return sql`SELECT cohort, active_period, count(active_ref) AS active_users, max(cohort_users) AS cohort_users
      FROM (SELECT cohort, sample_ref, CAST(sum(users) OVER (PARTITION BY cohort) AS bigint) AS cohort_users
        FROM (${sampled}) AS sampled_user) AS counted_user
      LEFT JOIN (${returning}) AS returning_user ON active_ref = sample_ref
      GROUP BY cohort, active_period`
}

/**
 * The order in which users are taken into the sample: by 52 bits of the SHA-256 of the user id, changed by
 * the SHA-256 of the project id. So the sample is even, the same for every request, and another one in each
 * project. The rollup has these bits of the user id. A hash of both ids together would take a second for a
 * million users.
 */
function sampleOrder({ project }: RetentionRequest, areKeys: boolean): SqlQuery {
  const bits = areKeys
    ? sql`user_ref / 2`
    : sql`from_base(substr(to_hex(sha256(to_utf8(user_ref))), 1, 13), 16)`
  return sql`bitwise_xor(${bits}, ${integer(Math.floor((shortKey(project.id) ?? 0) / 2))})`
}

/** When users did something (user_ref, active_at): an event of a name, or the start of a session. */
function activityOf(read: LakeRead, event: string | undefined, sessionsOf: typeof sessions): SqlQuery {
  if (event === undefined) {
    return sql`SELECT user_key AS user_ref, start_at AS active_at FROM ${sessionsOf(read, ['user_key', 'start_at'])} AS session
        WHERE user_key IS NOT NULL`
  }
  const fields: EventField[] = ['event', 'user_id', 'timestamp']
  return sql`SELECT user_id AS user_ref, timestamp AS active_at FROM ${events(read, fields)} AS each_event
        WHERE event = ${event} AND user_id IS NOT NULL`
}

/** The number of the period that holds a time. */
function periodNumber(at: SqlQuery, starts: readonly PeriodStart[]): SqlQuery {
  const cases = starts
    .map(({ from }, i) => sql`WHEN ${at} >= ${timestamp(from)} THEN ${integer(i)}`)
    .toReversed()
  return sql`CASE ${join(cases, ' ')} ELSE -1 END`
}
