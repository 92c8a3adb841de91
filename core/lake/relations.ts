import type { SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import { date, integer, join, name, scanning, sql, timestamp } from '#core/sql'
import { DAY_MS, midnight, utcDate } from '#core/time'
import { EVENT_LIMITS, NON_INTERACTIVE_EVENTS } from '#schemas/event'
import type { Snapshot } from './state.ts'

/**
 * What reports read, as pieces of SQL for FROM. They hide which tables a snapshot takes an event from, that a
 * producer's retry is stored once, and that sessions and visitors of cold epochs come from rollups.
 */

/** What a report reads: one project's events with from <= timestamp < to (Unix ms), as of one snapshot. */
export type LakeRead = {
  snapshot: Snapshot
  project: Pick<Project, 'id' | 'bucket' | 'created_at' | 'has_event_ids'>
  from: number
  to: number
}

/**
 * Copies of one event_id that arrive within these seconds of each other are one event (contract 1.1). Among hot
 * files each copy is compared with the one before it, beside warm ones with the one that was stored: the two differ
 * only for a chain of copies that is longer than a day, all of it still hot.
 */
export const EVENT_ID_HORIZON_S = 86_400
/**
 * A session_id that returns after this time without an event begins a new session. Without such a bound every read
 * would look through all that a project ever stored (docs/decisions/2026-11-21-what-a-read-asks-of-s3.md). It is more
 * than the 30 days that an event may be late and the days that it may be hot or warm, so that compaction changes no answer.
 */
const SESSION_PAUSE_MS = 35 * DAY_MS

/** Unix ms before which the project has no event: timestamps reach at most 30 days back, and it had to be there. */
export function oldestEvent({ created_at }: Pick<Project, 'created_at'>): number {
  return midnight(Date.parse(created_at) - EVENT_LIMITS.pastMs)
}

/** The days before the project are not looked at: on AWS each would be a listing. */
function withinLife(read: LakeRead): LakeRead {
  return { ...read, from: Math.max(read.from, oldestEvent(read.project)) }
}

/**
 * The events, once each. `columns` are of schemas/columns.ts (eventColumns), and `date`, the UTC date; name only
 * those that the statement uses.
 */
export function events(asked: LakeRead, columns: readonly string[]): SqlQuery {
  const read = withinLife(asked)
  const { from, to } = read
  return union([...coldEvents(read, columns), ...freshEvents(read, columns, { from, to })])
}

/**
 * How often each visitor sent each event from each country on each UTC date, as rows to be summed:
 * (date, visitor, event, country, event_count). `visitor` is the user in some form that counts: the same user has
 * the same, no user has null. Cold rows have no time of day: `from` at a UTC midnight reads the rollup, any other
 * the events; `to` has to be a midnight or later than all that is cold, e.g. now.
 */
export function activity(asked: LakeRead): SqlQuery {
  const read = withinLife(asked)
  const { snapshot, from, to } = read
  if (!isMidnight(from)) {
    return sql`(SELECT date, user_id AS visitor, event, country, CAST(1 AS bigint) AS event_count
      FROM ${events(read, ['date', 'user_id', 'event', 'country'])} AS each_event)`
  }
  const cold = hasCold(snapshot)
    ? [coldRows(read, 'activity_cold', sql`date, user_key AS visitor, event, country, event_count`, from, to)]
    : []
  const fresh = freshEvents(read, ['date', 'user_key', 'event', 'country'], { from, to }).map(
    rows => sql`SELECT date, user_key AS visitor, event, country, CAST(1 AS bigint) AS event_count
      FROM (${rows}) AS fresh`,
  )
  return union([...cold, ...fresh])
}

/**
 * The sessions that start in [from, to): (session_key, user_key, start_at, end_at, event_count, is_bounce).
 * A session is the events of the project with one session_id, as far as they lie before `to`. One that was seen within
 * SESSION_PAUSE_MS before the date of `from` started then, and is left out. `to` as for activity.
 */
export function sessions(asked: LakeRead): SqlQuery {
  const read = withinLife(asked)
  const { snapshot, project, from, to } = read
  const firstDate = midnight(from)
  const oldest = Math.max(firstDate - SESSION_PAUSE_MS, oldestEvent(project))
  const columns = sql`session_key, user_key, user_at, user_lag_s, start_at, end_at, event_count, interactive_count`
  const cold = hasCold(snapshot) ? [coldRows(read, 'sessions_cold', columns, firstDate, to)] : []
  const fragments = union([...cold, freshSessions(read, oldest)])
  // Sums of doubles are exact up to 2^53, and take a third of the time of DuckDB's sums of bigints.
  const sessions = sql`SELECT session_key, max_by(user_key, ${USER_ORDER}) AS user_key,
        min(start_at) AS start_at, max(end_at) AS end_at,
        CAST(sum(CAST(event_count AS double)) AS bigint) AS event_count,
        CASE WHEN max(interactive_count) = 0 THEN 1 ELSE 0 END AS is_bounce
      FROM ${fragments} AS fragment
      GROUP BY session_key
      HAVING min(start_at) >= ${timestamp(from)}`
  if (!hasCold(snapshot) || oldest >= firstDate) return sql`(${sessions})`
  const older = coldRows(read, 'sessions_cold', sql`session_key AS older_key`, oldest, firstDate)
  // A join, not NOT EXISTS: DuckDB would first make the 1.5 million keys of a busy month distinct.
  return sql`(SELECT session.* FROM (${sessions}) AS session
      LEFT JOIN (${older}) AS older ON older_key = session_key WHERE older_key IS NULL)`
}

/**
 * Orders the fragments of a session by the event that gave each its user: by timestamp (ms since 2020, good until
 * 2089), then by arrival to the second. One number, as ordering by a row of three takes twice as long; fragments
 * of one session whose users came in the same millisecond, and arrived in the same second but in different rolls,
 * are the only ones it cannot tell apart. Within a fragment the order is exact.
 */
const USER_ORDER = sql`CASE WHEN user_key IS NOT NULL THEN
          date_diff('millisecond', TIMESTAMP '2020-01-01 00:00:00.000', coalesce(user_at, end_at)) * 4194304
          + user_lag_s + ${integer(EVENT_LIMITS.futureMs / 1000)} END`

/**
 * What is not cold, as one fragment a session, from `since` on: what of it lies before the range shows which sessions
 * are older. Its user is the last non-null one by (timestamp, id) (U42).
 */
function freshSessions(read: LakeRead, since: number): SqlQuery {
  const columns = ['session_key', 'user_key', 'timestamp', 'lag_s', 'seq', 'event']
  const rows = freshEvents(read, columns, { from: since, to: read.to }, sql`session_key IS NOT NULL`)
  const ofLastUser = (column: SqlQuery): SqlQuery =>
    sql`max_by(${column}, ROW(timestamp, lag_s, seq)) FILTER (WHERE user_key IS NOT NULL)`
  return sql`SELECT session_key, ${ofLastUser(sql`user_key`)} AS user_key, ${ofLastUser(sql`timestamp`)} AS user_at,
        ${ofLastUser(sql`lag_s`)} AS user_lag_s,
        min(timestamp) AS start_at, max(timestamp) AS end_at, count(*) AS event_count,
        CAST(sum(CASE WHEN event IN (${nonInteractive}) THEN 0 ELSE 1 END) AS bigint) AS interactive_count
      FROM ${union(rows)} AS fresh
      GROUP BY session_key`
}

/** Our own words, so they may stand in the text; parameters would be the same in every statement. */
const nonInteractive = join(
  NON_INTERACTIVE_EVENTS.map(event => ({ text: `'${event}'`, params: [] })),
  ', ',
)

/** Rows of a rollup with from <= date < to, of the epochs that the snapshot reads cold. */
function coldRows(
  { snapshot, project }: Pick<LakeRead, 'snapshot' | 'project'>,
  table: 'sessions_cold' | 'activity_cold',
  columns: SqlQuery,
  from: number,
  to: number,
): SqlQuery {
  const first = utcDate(from)
  const last = utcDate(to - 1)
  return scanning(
    sql`SELECT ${columns} FROM ${name(table)}
      WHERE date >= ${date(first)} AND date <= ${date(last)} AND bucket = ${integer(project.bucket)}
        AND project_id = ${project.id} AND epoch < ${integer(snapshot.cold)}`,
    { table, date: [first, last], bucket: project.bucket },
  )
}

function coldEvents({ snapshot, project, from, to }: LakeRead, columns: readonly string[]): SqlQuery[] {
  if (!hasCold(snapshot)) return []
  const first = utcDate(from)
  const last = utcDate(to - 1)
  const bounds = [
    // The dates say the rest, and without them the column need not be read.
    ...(isMidnight(from) ? [] : [sql` AND timestamp >= ${timestamp(from)}`]),
    ...(isMidnight(to) ? [] : [sql` AND timestamp < ${timestamp(to)}`]),
  ]
  return [
    scanning(
      sql`SELECT ${names(columns)} FROM events_cold
      WHERE date >= ${date(first)} AND date <= ${date(last)} AND bucket = ${integer(project.bucket)}
        AND project_id = ${project.id} AND epoch < ${integer(snapshot.cold)}${join(bounds, '')}`,
      { table: 'events_cold', date: [first, last], bucket: project.bucket },
    ),
  ]
}

/**
 * The events that are warm or hot. Where the project sends event_ids, a hot one with an event_id is left out when
 * another copy of it came before: in hot by (epoch, arrival, seq), or in warm, where compaction has kept one. Copies
 * may differ in all else, so range and `filter` (on the given columns) come after.
 */
function freshEvents(
  { snapshot, project }: LakeRead,
  columns: readonly string[],
  { from, to }: { from: number; to: number },
  filter: SqlQuery = sql`true`,
): SqlQuery[] {
  const bounds = sql`timestamp >= ${timestamp(from)} AND timestamp < ${timestamp(to)}`
  const warmScan = {
    table: 'events_warm',
    epoch: [snapshot.cold, snapshot.warm - 1],
    bucket: project.bucket,
  } as const
  const warm = sql`epoch >= ${integer(snapshot.cold)} AND epoch < ${integer(snapshot.warm)}
        AND bucket = ${integer(project.bucket)} AND project_id = ${project.id}`
  const hot = sql`epoch >= ${integer(snapshot.warm)} AND epoch <= ${integer(snapshot.epoch)}
        AND bucket = ${integer(project.bucket)} AND project_id = ${project.id}`
  const hasWarm = snapshot.cold < snapshot.warm
  const stored = scanning(
    sql`LEFT JOIN (SELECT event_id AS stored_id, ${ARRIVAL} AS stored_at FROM events_warm
          WHERE ${warm} AND event_id IS NOT NULL) AS stored
        ON stored_id = event_id AND abs(arrived_at - stored_at) <= ${integer(EVENT_ID_HORIZON_S)}`,
    warmScan,
  )
  const selected = select(columns)
  const asSent = sql`SELECT ${selected} FROM events_hot WHERE ${hot} AND ${bounds} AND ${filter}`
  const withoutCopies = sql`SELECT ${selected} FROM events_hot WHERE ${hot} AND event_id IS NULL AND ${bounds} AND ${filter}
      UNION ALL
      SELECT ${selected} FROM (
        SELECT *, lag(arrived_at) OVER (PARTITION BY event_id ORDER BY epoch, arrived_at, seq) AS copy_at
        FROM (SELECT ${columnsAnd(columns)}, ${ARRIVAL} AS arrived_at FROM events_hot
          WHERE ${hot} AND event_id IS NOT NULL) AS sent) AS copy
        ${hasWarm ? stored : sql``}
      WHERE (copy_at IS NULL OR abs(arrived_at - copy_at) > ${integer(EVENT_ID_HORIZON_S)})
        ${hasWarm ? sql`AND stored_id IS NULL` : sql``} AND ${bounds} AND ${filter}`
  return [
    ...(hasWarm
      ? [
          scanning(
            sql`SELECT ${selected} FROM events_warm WHERE ${warm} AND ${bounds} AND ${filter}`,
            warmScan,
          ),
        ]
      : []),
    scanning(project.has_event_ids ? withoutCopies : asSent, {
      table: 'events_hot',
      epoch: [snapshot.warm, snapshot.epoch],
    }),
  ]
}

/** Unix second of arrival. */
const ARRIVAL = sql`(date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000', timestamp) + lag_s)`

/** The columns, where `date` is made from the timestamp. */
function select(columns: readonly string[]): SqlQuery {
  return join(
    columns.map(column => (column === 'date' ? sql`CAST(timestamp AS date) AS date` : name(column))),
    ', ',
  )
}

/** What the dedupe needs beside the columns, each once. */
function columnsAnd(columns: readonly string[]): SqlQuery {
  const stored = columns.filter(column => column !== 'date')
  return names([...new Set([...stored, 'event_id', 'epoch', 'seq', 'timestamp', 'lag_s'])])
}

function names(columns: readonly string[]): SqlQuery {
  return join(columns.map(name), ', ')
}

function union(pieces: readonly SqlQuery[]): SqlQuery {
  return sql`(${join(pieces, '\n      UNION ALL\n      ')})`
}

/** Epochs begin at 1. */
function hasCold(snapshot: Snapshot): boolean {
  return snapshot.cold > 1
}

function isMidnight(ms: number): boolean {
  return ms % DAY_MS === 0
}
