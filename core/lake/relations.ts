import type { SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import { date, integer, join, name, sql, timestamp, withScans } from '#core/sql'
import { DAY_MS, midnight, utcDate } from '#core/time'
import type { ColumnOf, EventColumnName } from '#schemas/columns'
import { EVENT_LIMITS, NON_INTERACTIVE_EVENTS } from '#schemas/event'
import type { Snapshot } from './state.ts'

/**
 * What reports read, as pieces of SQL for FROM. Reports need not know in which tables a snapshot finds an event, how a
 * retried event is stored once, or that cold sessions and users come from rollups.
 */

/** One project's events with from <= timestamp < to (Unix ms), as of one snapshot. */
export type LakeRead = {
  snapshot: Snapshot
  project: Pick<Project, 'id' | 'bucket' | 'created_at' | 'has_event_ids'>
  /** Not before oldestEvent(project): on AWS every day costs a listing. */
  from: number
  to: number
}

/** What a report can read of an event. `date` is its UTC date. */
export type EventField = EventColumnName | 'date'

/**
 * Copies of an event_id that arrive within these seconds of each other are one event (contract 1.1). A hot copy is
 * compared with the hot copy before it and with all warm ones. The results differ only for a chain of hot copies that
 * is longer than a day: a warm compaction would keep the first copy of every day.
 */
export const EVENT_ID_HORIZON_S = 86_400
/**
 * A session_id that returns after this time without an event begins a new session. Without such a limit, every read
 * would search all sessions of the project (docs/decisions/2026-11-21-s3-requests-of-a-read.md). The limit is longer
 * than the 30 days that an event may be late plus the days that it may be hot or warm, so compaction changes no result.
 */
export const SESSION_PAUSE_MS = 35 * DAY_MS

/** Unix ms before which the project has no events: timestamps may be 30 days old when an event arrives. */
export function oldestEvent({ created_at }: Pick<Project, 'created_at'>): number {
  return midnight(Date.parse(created_at) - EVENT_LIMITS.pastMs)
}

/** The events, each once. Name only the fields that the statement uses: every column costs reading. */
export function events(read: LakeRead, fields: readonly EventField[]): SqlQuery {
  return unionAll([...coldEvents(read, fields), ...freshEvents(read, fields, read)])
}

/**
 * How often each user sent each event from each country on each UTC date: (date, user_ref, event, country, event_count).
 * Sum event_count; a combination may have several rows. `user_ref` is user_id or user_key: equal for equal users and null
 * without a user. A `from` at UTC midnight reads the rollup; any other `from` reads the events, because the rollup has
 * only dates. `to` must be a midnight or later than all cold events, e.g. now.
 * `localTimestamp`: the local time of `timestamp` in a zone other than UTC. `date` is then the local date.
 */
export function activity(read: LakeRead, localTimestamp: SqlQuery | null = null): SqlQuery {
  const { snapshot, from, to } = read
  if (localTimestamp !== null || !isMidnight(from)) {
    return sql`(SELECT CAST(${localTimestamp ?? sql`timestamp`} AS date) AS date, user_id AS user_ref, event, country,
        CAST(1 AS bigint) AS event_count
      FROM ${events(read, ['timestamp', 'user_id', 'event', 'country'])} AS each_event)`
  }
  const coldActivity = hasCold(snapshot)
    ? [
        rollupRows(
          read,
          'activity_cold',
          sql`date, user_key AS user_ref, event, country, event_count`,
          from,
          to,
        ),
      ]
    : []
  const freshActivity = freshEvents(read, ['date', 'user_key', 'event', 'country'], read).map(
    rows => sql`SELECT date, user_key AS user_ref, event, country, CAST(1 AS bigint) AS event_count
      FROM (${rows}) AS fresh_events`,
  )
  return unionAll([...coldActivity, ...freshActivity])
}

/**
 * The sessions that start in [from, to): (session_key, user_key, start_at, end_at, event_count, is_bounce). A session is
 * all events before `to` that have its session_id. If it has events within SESSION_PAUSE_MS before the date of `from`,
 * it started earlier and is left out. `to` as for activity.
 */
export function sessions(read: LakeRead): SqlQuery {
  const { snapshot, project, from, to } = read
  const firstDate = midnight(from)
  const searchFrom = Math.max(firstDate - SESSION_PAUSE_MS, oldestEvent(project))
  const columns = sql`session_key, user_key, user_at, user_lag_s, start_at, end_at, event_count, interactive_count`
  const coldFragments = hasCold(snapshot) ? [rollupRows(read, 'sessions_cold', columns, firstDate, to)] : []
  const fragments = unionAll([...coldFragments, freshSessionFragments(read, searchFrom)])
  // DuckDB adds doubles three times as fast as bigints. Sums of doubles are exact up to 2^53.
  const wholeSessions = sql`SELECT session_key, max_by(user_key, ${USER_ORDER}) AS user_key,
        min(start_at) AS start_at, max(end_at) AS end_at,
        CAST(sum(CAST(event_count AS double)) AS bigint) AS event_count,
        CASE WHEN max(interactive_count) = 0 THEN 1 ELSE 0 END AS is_bounce
      FROM ${fragments} AS fragment
      GROUP BY session_key
      HAVING min(start_at) >= ${timestamp(from)}`
  if (!hasCold(snapshot) || searchFrom >= firstDate) return sql`(${wholeSessions})`
  const earlierKeys = rollupRows(
    read,
    'sessions_cold',
    sql`session_key AS earlier_key`,
    searchFrom,
    firstDate,
  )
  // A join instead of NOT EXISTS: for that, DuckDB first makes the 1.5 million keys of a busy month distinct.
  return sql`(SELECT session.* FROM (${wholeSessions}) AS session
      LEFT JOIN (${earlierKeys}) AS earlier ON earlier_key = session_key WHERE earlier_key IS NULL)`
}

/**
 * Orders the fragments of a session by the event that gave the fragment its user: by its timestamp in ms since 2020 (fits
 * until 2089), then by its arrival in seconds. The order is one number, because ordering by a row of three values takes
 * twice as long. It cannot order two fragments whose user events have the same millisecond and arrived in the same
 * second, but went cold in different compactions. Within a fragment the order is exact.
 */
const USER_ORDER = sql`CASE WHEN user_key IS NOT NULL THEN
          date_diff('millisecond', TIMESTAMP '2020-01-01 00:00:00.000', coalesce(user_at, end_at)) * 4194304
          + user_lag_s + ${integer(EVENT_LIMITS.futureMs / 1000)} END`

/**
 * Warm and hot sessions from `since` on, one fragment each. `since` is before the range, so that sessions which started
 * earlier are known. The user of a fragment is its last non-null user by (timestamp, id) (U42).
 */
function freshSessionFragments(read: LakeRead, since: number): SqlQuery {
  const fields = ['session_key', 'user_key', 'timestamp', 'lag_s', 'seq', 'event'] as const
  const rows = freshEvents(read, fields, { from: since, to: read.to }, sql`session_key IS NOT NULL`)
  const ofLastUser = (column: SqlQuery): SqlQuery =>
    sql`max_by(${column}, ROW(timestamp, lag_s, seq)) FILTER (WHERE user_key IS NOT NULL)`
  return sql`SELECT session_key, ${ofLastUser(sql`user_key`)} AS user_key, ${ofLastUser(sql`timestamp`)} AS user_at,
        ${ofLastUser(sql`lag_s`)} AS user_lag_s,
        min(timestamp) AS start_at, max(timestamp) AS end_at, count(*) AS event_count,
        CAST(sum(CASE WHEN event IN (${nonInteractiveNames}) THEN 0 ELSE 1 END) AS bigint) AS interactive_count
      FROM ${unionAll(rows)} AS fresh_events
      GROUP BY session_key`
}

/** These names are our own constants, so they are safe in the text. As parameters they would only make it longer. */
const nonInteractiveNames = join(
  NON_INTERACTIVE_EVENTS.map(event => ({ text: `'${event}'`, params: [] })),
  ', ',
)

/** Rows of a rollup with from <= date < to, of the cold epochs of the snapshot. */
function rollupRows(
  { snapshot, project }: Pick<LakeRead, 'snapshot' | 'project'>,
  table: 'sessions_cold' | 'activity_cold',
  columns: SqlQuery,
  from: number,
  to: number,
): SqlQuery {
  const firstDate = utcDate(from)
  const lastDate = utcDate(to - 1)
  return withScans(
    sql`SELECT ${columns} FROM ${name(table)}
      WHERE date >= ${date(firstDate)} AND date <= ${date(lastDate)} AND bucket = ${integer(project.bucket)}
        AND project_id = ${project.id} AND epoch < ${integer(snapshot.cold)}`,
    { table, date: [firstDate, lastDate], bucket: project.bucket },
  )
}

function coldEvents({ snapshot, project, from, to }: LakeRead, fields: readonly EventField[]): SqlQuery[] {
  if (!hasCold(snapshot)) return []
  const firstDate = utcDate(from)
  const lastDate = utcDate(to - 1)
  const timeBounds = [
    // Whole dates need no bound on the timestamp, and then the column need not be read.
    ...(isMidnight(from) ? [] : [sql` AND timestamp >= ${timestamp(from)}`]),
    ...(isMidnight(to) ? [] : [sql` AND timestamp < ${timestamp(to)}`]),
  ]
  return [
    withScans(
      sql`SELECT ${join(fields.map(name), ', ')} FROM events_cold
      WHERE date >= ${date(firstDate)} AND date <= ${date(lastDate)} AND bucket = ${integer(project.bucket)}
        AND project_id = ${project.id} AND epoch < ${integer(snapshot.cold)}${join(timeBounds, '')}`,
      { table: 'events_cold', date: [firstDate, lastDate], bucket: project.bucket },
    ),
  ]
}

/** Warm and hot files have the keys of user and session; cold files have them in the rollups only. */
type FreshField = ColumnOf<'events_warm'> | 'date'

/** The warm and hot events, each once. `filter` may use the given fields only. */
function freshEvents(
  { snapshot, project }: LakeRead,
  fields: readonly FreshField[],
  { from, to }: { from: number; to: number },
  filter: SqlQuery = sql`true`,
): SqlQuery[] {
  const selection = sql`timestamp >= ${timestamp(from)} AND timestamp < ${timestamp(to)} AND ${filter}`
  const warm = warmEvents(snapshot, project)
  const hot = hotEvents(snapshot, project)
  const hasWarm = snapshot.cold < snapshot.warm
  const warmRows = withScans(
    sql`SELECT ${selectList(fields)} FROM events_warm WHERE ${warm.where} AND ${selection}`,
    warm.scan,
  )
  const hotRows = sql`SELECT ${selectList(fields)} FROM events_hot WHERE ${hot.where} AND ${selection}`
  const distinctHotRows = sql`SELECT ${selectList(fields)} FROM events_hot
      WHERE ${hot.where} AND event_id IS NULL AND ${selection}
      UNION ALL
      ${hotRowsWithEventId(snapshot, project, fields, selection)}`
  return [
    ...(hasWarm ? [warmRows] : []),
    withScans(project.has_event_ids ? distinctHotRows : hotRows, hot.scan),
  ]
}

/**
 * Hot events with an event_id, without copies. An event is a copy if the same event_id came before it within the
 * horizon: in hot by (epoch, arrival, seq), or in warm, where compaction has kept one. Copies may differ in everything
 * else, so `selection` is applied after they are found.
 */
function hotRowsWithEventId(
  snapshot: Snapshot,
  project: LakeRead['project'],
  fields: readonly FreshField[],
  selection: SqlQuery,
): SqlQuery {
  const warm = warmEvents(snapshot, project)
  const hot = hotEvents(snapshot, project)
  const hasWarm = snapshot.cold < snapshot.warm
  const horizon = integer(EVENT_ID_HORIZON_S)
  // Two comparisons, not abs(arrival - warm_arrival): DuckDB plans a hash join only if each condition compares a value of
  // one side with a value of the other. Otherwise an outer join is a nested loop over all pairs.
  const joinWarm = withScans(
    sql`LEFT JOIN (SELECT event_id AS warm_id, ${ARRIVAL} AS warm_arrival FROM events_warm
          WHERE ${warm.where} AND event_id IS NOT NULL) AS warm_ids
        ON warm_id = event_id AND warm_arrival >= arrival - ${horizon} AND warm_arrival <= arrival + ${horizon}`,
    warm.scan,
  )
  return sql`SELECT ${selectList(fields)} FROM (
        SELECT *, lag(arrival) OVER (PARTITION BY event_id ORDER BY epoch, arrival, seq) AS previous_arrival
        FROM (SELECT ${selectDedupeColumns(fields)}, ${ARRIVAL} AS arrival FROM events_hot
          WHERE ${hot.where} AND event_id IS NOT NULL) AS hot_events) AS ordered_events
        ${hasWarm ? joinWarm : sql``}
      WHERE (previous_arrival IS NULL OR abs(arrival - previous_arrival) > ${horizon})
        ${hasWarm ? sql`AND warm_id IS NULL` : sql``} AND ${selection}`
}

function warmEvents({ cold, warm }: Snapshot, { id, bucket }: LakeRead['project']) {
  return {
    where: sql`epoch >= ${integer(cold)} AND epoch < ${integer(warm)}
        AND bucket = ${integer(bucket)} AND project_id = ${id}`,
    scan: { table: 'events_warm', epoch: [cold, warm - 1], bucket },
  } as const
}

function hotEvents({ warm, epoch }: Snapshot, { id, bucket }: LakeRead['project']) {
  return {
    where: sql`epoch >= ${integer(warm)} AND epoch <= ${integer(epoch)}
        AND bucket = ${integer(bucket)} AND project_id = ${id}`,
    scan: { table: 'events_hot', epoch: [warm, epoch] },
  } as const
}

/** Unix second of arrival. */
const ARRIVAL = sql`(date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000', timestamp) + lag_s)`

/** Hot and warm files have no `date`, so it is computed from the timestamp. */
function selectList(fields: readonly FreshField[]): SqlQuery {
  return join(
    fields.map(field => (field === 'date' ? sql`CAST(timestamp AS date) AS date` : name(field))),
    ', ',
  )
}

/** The stored columns among the fields and those that finding copies needs, each once. */
function selectDedupeColumns(fields: readonly FreshField[]): SqlQuery {
  const storedColumns = fields.filter(field => field !== 'date')
  const columns = new Set([...storedColumns, 'event_id', 'epoch', 'seq', 'timestamp', 'lag_s'] as const)
  return join([...columns].map(name), ', ')
}

function unionAll(relations: readonly SqlQuery[]): SqlQuery {
  return sql`(${join(relations, '\n      UNION ALL\n      ')})`
}

/** The first epoch is 1. */
function hasCold(snapshot: Snapshot): boolean {
  return snapshot.cold > 1
}

function isMidnight(ms: number): boolean {
  return ms % DAY_MS === 0
}
