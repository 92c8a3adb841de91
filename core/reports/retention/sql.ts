import { shortKey } from '#core/lake/consume/id-keys'
import { isOfPeople } from '#core/lake/read/chosen'
import { type EventField, type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { events, hasIdsAsKeys, sessions, sessionsOfEvents } from '#core/lake/read/relations'
import { userKeyOf } from '#core/lake/read/user-links'
import type { SqlQuery } from '#core/ports'
import { integer, sql, timestamp, unixMs } from '#core/sql/sql'
import { MAX_PEOPLE } from '#schemas/funnel'
import { MAX_USERS, type RetentionRequest } from './params.ts'
import { type PeriodStart, periodNumber } from './periods.ts'

/** Those of a cohort who were active in the period so many after; `isDropped`: those who were not. */
export type Cell = { cohort: number; offset: number; isDropped: boolean }

type Sources = {
  /** Users of the window by the order of the sample: (user_ref, first_at, sample_place). */
  ranked: SqlQuery
  /** Activity in the window: (user_ref, active_at). */
  laterActivity: SqlQuery
  /** Whether user_ref is the user_key, else it is the user_id. */
  areKeys: boolean
}

/**
 * Rows (cohort, cohort_users, active_period, active_users): cohorts and periods are numbered from the oldest
 * period of the window. A user's first activity puts them into a cohort; every later one makes them active in
 * its period. The users that the sample leaves out are the cohort null.
 */
export function retentionSql(request: RetentionRequest, starts: readonly PeriodStart[]): SqlQuery {
  const { ranked, laterActivity } = sourcesOf(request, starts)
  const inSample = (value: SqlQuery) => sql`CASE WHEN sample_place <= ${integer(MAX_USERS)} THEN ${value} END`
  const sampled = sql`SELECT sample_ref, max(user_cohort) AS cohort, count(*) AS users
      FROM (SELECT ${inSample(sql`user_ref`)} AS sample_ref, ${inSample(periodNumber(sql`first_at`, starts))} AS user_cohort
        FROM (${ranked}) AS ranked_user) AS cohort_user
      GROUP BY sample_ref`
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
 * Rows (id, reached_at), the latest first: the people of a cell and when they first came back in its period.
 * Of a whole cohort (offset 0), and of those who did not come back, it is when they were first seen. The
 * people are those of the sample.
 */
export function retentionPeopleSql(
  request: RetentionRequest,
  starts: readonly PeriodStart[],
  { cohort, offset, isDropped }: Cell,
): SqlQuery {
  const { ranked, laterActivity, areKeys } = sourcesOf(request, starts)
  const isIn = (at: SqlQuery, period: number) => {
    const [start, end] = [starts[period]?.from ?? request.now, starts[period + 1]?.from]
    const isBeforeEnd = end === undefined ? sql`` : sql` AND ${at} < ${timestamp(end)}`
    return sql`${at} >= ${timestamp(start)}${isBeforeEnd}`
  }
  const members = sql`SELECT user_ref AS member_ref, first_at FROM (${ranked}) AS ranked_user
      WHERE sample_place <= ${integer(MAX_USERS)} AND ${isIn(sql`first_at`, cohort)}`
  const returned = sql`SELECT user_ref AS active_ref, min(active_at) AS returned_at
      FROM (${laterActivity}) AS activity WHERE ${isIn(sql`active_at`, cohort + offset)} GROUP BY user_ref`
  const ofCell =
    offset === 0
      ? sql`SELECT member_ref, first_at AS reached_at FROM (${members}) AS member`
      : sql`SELECT member_ref, ${isDropped ? sql`first_at` : sql`returned_at`} AS reached_at FROM (${members}) AS member
      LEFT JOIN (${returned}) AS returned_user ON active_ref = member_ref
      WHERE active_ref IS ${isDropped ? sql`NULL` : sql`NOT NULL`}`
  const named = areKeys
    ? sql`SELECT id, reached_at FROM (${ofCell}) AS keyed_person
      JOIN (${usersSince(request, starts[cohort]?.from ?? request.now)}) AS named_user ON id_key = member_ref`
    : sql`SELECT member_ref AS id, reached_at FROM (${ofCell}) AS person`
  return sql`SELECT id, ${unixMs(sql`reached_at`)} AS reached_at FROM (${named}) AS named_person
      ORDER BY reached_at DESC, id LIMIT ${integer(MAX_PEOPLE)}`
}

/**
 * The users with an event since a time: (id, id_key). The rollup has no ids, so they come from the events. A
 * user of a cohort has an event after the start of the cohort's period, because their first session starts
 * in it.
 */
function usersSince({ read }: RetentionRequest, from: number): SqlQuery {
  const rows = events({ ...read, from: Math.max(read.from, from) }, ['user_id', 'timestamp'])
  return sql`SELECT id, ${userKeyOf(sql`id`)} AS id_key
        FROM (SELECT user_id AS id FROM ${rows} AS each_event WHERE user_id IS NOT NULL GROUP BY user_id) AS each_user`
}

function sourcesOf(request: RetentionRequest, starts: readonly PeriodStart[]): Sources {
  const { params, read, range, now, oldest } = request
  const windowStart = starts[0]?.from ?? now
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
        GROUP BY user_ref HAVING min(active_at) >= ${timestamp(range.from)}`
  const ranked = sql`SELECT user_ref, first_at,
        row_number() OVER (ORDER BY ${sampleOrder(request, areKeys)}, user_ref) AS sample_place
      FROM (${firstSeen}) AS user_first`
  // Only users of the first activity count, and a condition on people has chosen those.
  const isChosen = read.where !== undefined && isOfPeople(read.where)
  const laterActivity = activityOf(isChosen ? withoutWhere(later) : later, laterEvent, sessionsBoth)
  return { ranked, laterActivity, areKeys }
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
