import { COMPARED_MS, isSplitKnown } from '#core/lake/compact/split-sessions'
import type { Segment } from '#core/lake/model/segment'
import type { SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import { join, name, sql, trustedSql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import { DAY_MS, midnight } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { isOfEntities, joinSets, passingEvents } from './chosen.ts'
import { hotEvents } from './hot-events.ts'
import { type Chosen, type EventField, type LakeRead, type Refs, withoutWhere } from './lake-read.ts'
import { FREE_SCANS } from './scan-strategy.ts'
import {
  betweenDates,
  canLeaveOut,
  hasRollups,
  hasWholeDates,
  segmentsBetween,
  splitErased,
  splitRollups,
  unionAll,
  visibleRows,
} from './segment-rows.ts'
import {
  eventFields,
  type FragmentColumn,
  fragmentColumns,
  isSourceField,
  joinAllFragments,
  joinSplitFragments,
  type SessionField,
  sessionFragments,
  sessionsOfOne,
} from './session-fragments.ts'
import { sessionRollup } from './session-rollup.ts'
import { keyedEvents, segmentEvents } from './stored-events.ts'
import { resolveUserIds, resolveUserKeys, userKeyOf } from './user-links.ts'

/**
 * What reports read, as pieces of SQL for FROM. Reports need not know in which files a snapshot finds an
 * event, how a retried event is stored once, or that sessions and users of segments come from rollups.
 */

/**
 * A session_id that returns after this time without an event begins a new session. Without such a limit,
 * every read would search all sessions of the project (docs/decisions/2026-11-21-s3-requests-of-a-read.md).
 * The limit is longer than the 30 days that an event may be late, so compaction changes no result.
 */
export const SESSION_PAUSE_MS = 35 * DAY_MS

/** Unix ms before which the project has no events: timestamps may be 30 days old when an event arrives. */
export function oldestEvent({ created_at }: Pick<Project, 'created_at'>): number {
  return midnight(Date.parse(created_at) - EVENT_LIMITS.pastMs)
}

/**
 * The events, each once. Name only the fields that the statement uses: every column costs reading. `user_id`
 * is the id that it resolves to.
 */
export function events(read: LakeRead, fields: readonly EventField[]): SqlQuery {
  const { where } = read
  if (where !== undefined) return passingEvents(where, fields, all => events(withoutWhere(read), all))
  const segments = segmentsBetween(read, read.from, read.to)
  const stored = unionAll(read, segmentEvents(read, segments, fields), hotEvents(read, fields, read))
  return fields.includes('user_id') ? resolveUserIds(read, stored, fields) : stored
}

/**
 * How often each user sent each event from each country on each UTC date: (date, user_ref, event, country,
 * event_count). Sum event_count; a combination may have several rows. `user_ref` is user_id or user_key:
 * equal for equal users and null without a user. The rollup has only dates, so a range that cuts a date of a
 * segment reads the events; of the last date only, if the others are whole.
 * `localTimestamp`: the local time of `timestamp` in a zone other than UTC. `date` is then the local date.
 */
export function activity(read: LakeRead, localTimestamp: SqlQuery | null = null): SqlQuery {
  const { from, to } = read
  if (hasOwnFields(read)) return passingActivity(read, localTimestamp)
  if (localTimestamp === null && isLastDateCut(read)) return activityUntil(read)
  if (localTimestamp !== null || !hasActivityRollup(read)) {
    return sql`(SELECT CAST(${localTimestamp ?? sql`timestamp`} AS date) AS date, user_id AS user_ref, event, country,
        CAST(1 AS bigint) AS event_count
      FROM ${events(read, ['timestamp', 'user_id', 'event', 'country'])} AS each_event)`
  }
  const segments = segmentsBetween(read, from, to)
  const rollup = activityRows(read, segments).map(
    rows =>
      sql`SELECT date, user_key AS user_ref, event, country, event_count FROM (${rows}) AS user_activity`,
  )
  const hot = hotEvents(read, ['date', 'user_key', 'event', 'country'], read).map(
    rows => sql`SELECT date, user_key AS user_ref, event, country, CAST(1 AS bigint) AS event_count
      FROM (${rows}) AS hot_events`,
  )
  return resolveUserKeys(
    read,
    unionAll(read, rollup, hot),
    ['date', 'event', 'country', 'event_count'],
    'user_ref',
  )
}

/** Whether the rows of `activity` have all fields that the condition reads. */
function hasOwnFields({ where }: LakeRead): boolean {
  return where !== undefined && where.sets.length === 0 && where.fields.every(isActivityField)
}

function isActivityField(field: EventField): boolean {
  return field === 'event' || field === 'country'
}

/** The rows of `activity` that pass. */
function passingActivity(read: LakeRead, localTimestamp: SqlQuery | null): SqlQuery {
  const condition = read.where?.condition ?? sql`true`
  return sql`(SELECT * FROM ${activity(withoutWhere(read), localTimestamp)} AS each_activity WHERE ${condition})`
}

/** Whether user_ref of `activity` in UTC is the user_key. */
export function hasUserKeys(read: LakeRead): boolean {
  return hasActivityRollup(read) || isLastDateCut(read)
}

/** Whether the rollup has all dates of the range but the last one, which the range cuts. */
function isLastDateCut(read: LakeRead): boolean {
  const lastDate = midnight(read.to)
  return !hasActivityRollup(read) && lastDate > read.from && hasActivityRollup({ ...read, to: lastDate })
}

/** The rows of `activity` with the last date from the events. */
function activityUntil(read: LakeRead): SqlQuery {
  const lastDate = midnight(read.to)
  const cut = events({ ...read, from: lastDate }, ['timestamp', 'user_id', 'event', 'country'])
  const columns = sql`date, user_ref, event, country, event_count`
  return sql`(SELECT ${columns} FROM ${activity({ ...read, to: lastDate })} AS whole_date
      UNION ALL
      SELECT date, ${userKeyOf(sql`user_id`)} AS user_ref, event, country, event_count
      FROM (SELECT CAST(timestamp AS date) AS date, user_id, event, country, count(*) AS event_count
        FROM ${cut} AS each_event GROUP BY CAST(timestamp AS date), user_id, event, country) AS cut_date)`
}

/**
 * The rows of segment_activity of the range, without those of erased users: (date, user_key, event, country,
 * event_count).
 */
function activityRows(read: LakeRead, segments: readonly Segment[]): SqlQuery[] {
  const { cleared, usable, rest } = splitRollups(read, segments)
  const fields = ['date', 'user_key', 'event', 'country', 'event_count'] as const
  const dates = betweenDates(read.from, read.to)
  return [
    ...visibleRows(read, 'segment_activity', [...cleared, ...usable], fields, dates),
    ...keyedEvents(read, rest, ['date', 'user_key', 'event', 'country']).map(
      rows =>
        sql`SELECT date, user_key, event, country, CAST(1 AS bigint) AS event_count FROM (${rows}) AS event_row`,
    ),
  ]
}

/**
 * The events of `activity` without their users, from few of its rows: (date, event, country, event_count).
 * Sum event_count.
 */
export function eventCounts(read: LakeRead, localTimestamp: SqlQuery | null = null): SqlQuery {
  const { from, to } = read
  if (hasOwnFields(read)) {
    const condition = read.where?.condition ?? sql`true`
    return sql`(SELECT * FROM ${eventCounts(withoutWhere(read), localTimestamp)} AS each_count WHERE ${condition})`
  }
  const segments = segmentsBetween(read, from, to)
  if (localTimestamp !== null || !hasActivityRollup(read)) return activity(read, localTimestamp)
  const { cleared, open } = splitErased(read, segments)
  const totals = visibleRows(
    read,
    'segment_activity',
    cleared,
    ['date', 'event', 'country', 'total_count'],
    sql`${betweenDates(from, to)} AND total_count IS NOT NULL`,
  ).map(rows => sql`SELECT date, event, country, total_count AS event_count FROM (${rows}) AS each_total`)
  // The totals count erased users, too.
  const remaining = activityRows(read, open).map(
    rows => sql`SELECT date, event, country, event_count FROM (${rows}) AS user_activity`,
  )
  const hot = hotEvents(read, ['date', 'event', 'country'], read).map(
    rows => sql`SELECT date, event, country, CAST(1 AS bigint) AS event_count FROM (${rows}) AS hot_events`,
  )
  return unionAll(read, [...totals, ...remaining], hot)
}

/** Whether `activity` in UTC comes from the rollup alone. */
export function hasActivityRollup(read: LakeRead): boolean {
  if (read.where !== undefined && !hasOwnFields(read)) return false
  const segments = segmentsBetween(read, read.from, read.to)
  return hasWholeDates(read, segments, read.from, read.to) && canLeaveOut(read, segments)
}

/**
 * The sessions that start in [from, to): (session_key, fields). Name only the fields that the statement uses.
 * A session is all events before `sessionsEnd` that have its session_id. If it has events within
 * SESSION_PAUSE_MS before the date of `from`, it started earlier and is left out. The keys are those of
 * core/lake/consume/id-keys.ts. If larger segments cannot leave out erased events, the sessions come from the
 * events, and the keys are the ids themselves (hasIdsAsKeys).
 */
export function sessions(asked: LakeRead, fields: readonly SessionField[]): SqlQuery {
  if (asked.where !== undefined) return chosenSessions(asked, asked.where, fields, sessions)
  const read = { ...asked, to: sessionsEnd(asked) }
  const { from, to } = read
  const starts = { from, to: asked.to < to ? asked.to : null }
  const firstDate = midnight(from)
  const searchFrom = searchStart(read)
  if (hasIdsAsKeys(asked)) return sessionsOfEvents(asked, fields)
  const segments = segmentsBetween(read, firstDate, to)
  const { joinsSplitAlone } = read.scans ?? FREE_SCANS
  const usesSplit = joinsSplitAlone && to - firstDate <= COMPARED_MS && isSplitKnown(segments)
  const names = ['session_key' as const, ...fragmentColumns(fields)]
  const columns = join(names.map(name), ', ')
  const rollupNames = usesSplit ? [...names, 'may_be_split' as const] : names
  const { known, unknown } = splitKnown(segments, fields)
  const rollup = sessionRollup(read, known, rollupNames, betweenDates(firstDate, to))
  const searched = { ...read, from: searchFrom }
  const { rest } = splitRollups(read, segmentsBetween(read, searchFrom, to))
  const ofEvent = ['session_key', 'user_key', ...eventFields(names)] as const
  const hotRows = hotEvents(read, ofEvent, searched, sql`session_key IS NOT NULL`)
  const hot = sessionFragments(unionAll(read, [], hotRows), names)
  const eventColumns = usesSplit ? sql`${columns}, CAST(1 AS bigint) AS may_be_split` : columns
  const [ofHot, ...unrolled] = [
    hot,
    ...fragmentsOfStored(searched, rest, names),
    ...fragmentsOfStored(
      { ...read, from: firstDate },
      unknown.filter(segment => !rest.includes(segment)),
      names,
    ),
  ].map(rows => sql`SELECT ${eventColumns} FROM (${rows}) AS fragment_of_events`) as [SqlQuery, ...SqlQuery[]]
  const fragments = unionAll(read, [...rollup, ...unrolled], [ofHot])
  const started = (usesSplit ? joinSplitFragments : joinAllFragments)(fragments, fields, starts)
  const earlierKeys = sessionRollup(
    read,
    searchFrom < firstDate ? segmentsBetween(read, searchFrom, firstDate) : [],
    ['session_key'],
    betweenDates(searchFrom, firstDate),
  )
  // For NOT EXISTS, DuckDB first makes the 1.5 million keys of a busy month distinct.
  const inRange =
    earlierKeys.length === 0
      ? sql`(${started})`
      : sql`(SELECT session.* FROM (${started}) AS session
      LEFT JOIN (SELECT session_key AS earlier_key FROM (${join(earlierKeys, ' UNION ALL ')}) AS earlier_row) AS earlier
        ON earlier_key = session_key WHERE earlier_key IS NULL)`
  return fields.includes('user_key')
    ? resolveUserKeys(read, inRange, ['session_key', ...fields.filter(f => f !== 'user_key')], 'user_key')
    : inRange
}

/**
 * Fragments of sessions from the events of segments: (names). Hashing takes time, so they are grouped first.
 */
function fragmentsOfStored(
  read: LakeRead,
  segments: readonly Segment[],
  names: readonly FragmentColumn[],
): SqlQuery[] {
  const ofEvent = eventFields(names)
  const rows = segmentEvents(read, segments, ['session_id', 'user_id', ...ofEvent])
  if (rows.length === 0) return []
  const columns = names.map(each =>
    isKey(each) ? sql`${userKeyOf(name(each))} AS ${name(each)}` : name(each),
  )
  return [
    sql`SELECT ${join(columns, ', ')} FROM (${sessionFragments(withIdsAsKeys(sql`(${join(rows, ' UNION ALL ')})`, ofEvent), names)}) AS stored_fragment`,
  ]
}

function isKey(column: FragmentColumn): boolean {
  return column === 'session_key' || column === 'user_key'
}

/** The events of sessions, with session_id and user_id as their keys. */
function withIdsAsKeys(rows: SqlQuery, fields: readonly EventField[]): SqlQuery {
  return sql`(SELECT session_id AS session_key, user_id AS user_key, ${join(fields.map(name), ', ')}
        FROM ${rows} AS each_event WHERE session_id IS NOT NULL)`
}

/**
 * The segments whose rollups have what makes the fields, and the others, which have their events alone. No
 * time ends the others: see "When a path for older data may go" in docs/formats.md.
 */
function splitKnown(segments: readonly Segment[], fields: readonly SessionField[]) {
  const isKnown = ({ knowsSources }: Segment) => knowsSources || !fields.some(isSourceField)
  return { known: segments.filter(isKnown), unknown: segments.filter(segment => !isKnown(segment)) }
}

/** Whether the keys of `sessions` are the ids themselves, because the sessions come from the events. */
export function hasIdsAsKeys(read: LakeRead): boolean {
  const end = sessionsEnd(read)
  const segments = segmentsBetween(read, searchStart(read), end)
  return !hasRollups(read, segments, midnight(read.from), end)
}

/**
 * The sessions that a condition chooses: those with an event of its range that passes. A condition that reads
 * no field of an event is asked of the session itself, with its own person (U42).
 */
function chosenSessions(
  read: LakeRead,
  where: Chosen,
  fields: readonly SessionField[],
  sessionsOf: typeof sessions,
): SqlQuery {
  const all = withoutWhere(read)
  const refs: Refs = sessionsOf === sessionsOfEvents || hasIdsAsKeys(all) ? 'ids' : 'keys'
  const columns = join(['session_key' as const, ...fields].map(plain), ', ')
  if (isOfEntities(where)) {
    const needed = [...new Set([...fields, ...(where.sets.some(({ of }) => of === 'person') ? USER : [])])]
    const joined = joinSets(where.sets, ({ of }) => ({
      refs,
      column: of === 'session' ? sql`session_key` : sql`user_key`,
    }))
    return sql`(SELECT ${columns} FROM ${sessionsOf(all, needed)} AS each_session${joined} WHERE ${where.condition})`
  }
  const id = sql`max(session_id)`
  const passing = events({ ...read, ...where.range }, ['session_id'])
  return sql`(SELECT ${columns} FROM ${sessionsOf(all, fields)} AS each_session
      JOIN (SELECT ${refs === 'ids' ? id : userKeyOf(id)} AS chosen_key FROM ${passing} AS passing_event
        WHERE session_id IS NOT NULL GROUP BY ${textKey(sql`session_id`)}) AS chosen_session ON chosen_key = session_key)`
}

const USER = ['user_key'] as const

function plain(text: SessionField | 'session_key'): SqlQuery {
  return trustedSql(text)
}

/** The same as `sessions`, but from the events: session_key and user_key are session_id and user_id. */
export function sessionsOfEvents(read: LakeRead, fields: readonly SessionField[]): SqlQuery {
  if (read.where !== undefined) return chosenSessions(read, read.where, fields, sessionsOfEvents)
  const names = fragmentColumns(fields)
  const ofEvent = eventFields(names)
  const end = sessionsEnd(read)
  const rows = events({ ...read, from: searchStart(read), to: end }, ['session_id', 'user_id', ...ofEvent])
  const fragments = sessionFragments(withIdsAsKeys(rows, ofEvent), names)
  const starts = { from: read.from, to: read.to < end ? read.to : null }
  return sql`(${sessionsOfOne(sql`(${fragments})`, fields, starts)})`
}

/**
 * How many events sessions have on each UTC date of the range: (date, session_key, event_count), a session
 * and date may have several rows. Null if the range cuts a date of a segment, or larger segments cannot leave
 * out erased events, or the read has a condition. Then only the events can tell.
 */
export function sessionEvents(read: LakeRead): SqlQuery | null {
  const { from, to, where } = read
  if (where !== undefined) return null
  const segments = segmentsBetween(read, from, to)
  if (!hasRollups(read, segments, from, to)) return null
  const rollup = sessionRollup(read, segments, ['date', 'session_key', 'event_count'], betweenDates(from, to))
  const one = (rows: SqlQuery) =>
    sql`SELECT date, session_key, CAST(1 AS bigint) AS event_count FROM (${rows}) AS event_rows`
  const { rest } = splitRollups(read, segments)
  const unrolled = keyedEvents(read, rest, ['date', 'session_key']).map(one)
  const hot = hotEvents(read, ['date', 'session_key'], read, sql`session_key IS NOT NULL`).map(one)
  return unionAll(read, [...rollup, ...unrolled], hot)
}

/**
 * Sessions that start in a range of the past may go on after it. Their events are read for so long after its
 * last date, so that a range says the same whenever it is asked, and no read goes on until now.
 */
const SESSION_TAIL_MS = 2 * DAY_MS

/** Before which time the events of the sessions of a range are, Unix ms. */
export function sessionsEnd({ to, now = Number.POSITIVE_INFINITY }: LakeRead): number {
  return Math.max(to, Math.min(midnight(to - 1) + DAY_MS + SESSION_TAIL_MS, now + EVENT_LIMITS.futureMs + 1))
}

/**
 * From where the events of a session are searched, so that sessions which started earlier are known. Unix ms
 * at a midnight.
 */
export function searchStart({ from, project }: LakeRead): number {
  return Math.max(midnight(from) - SESSION_PAUSE_MS, oldestEvent(project))
}
