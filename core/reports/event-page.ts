import { eventUlid } from '#core/ingest/ids'
import { shortKey } from '#core/lake/consume/id-keys'
import type { LakeRead } from '#core/lake/read/lake-read'
import { events as eventsRelation } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import { integer, isOneOf, join, name, sql, timestamp } from '#core/sql/sql'
import { DAY_MS, utcDate } from '#core/time'
import { type EventColumnName, eventColumns } from '#schemas/columns'
import type { EventRow } from '#schemas/event'
import { type EventPosition, encodeCursor, parseCursor } from './run/cursor.ts'
import type { ReportProject } from './run/run.ts'
import type { ReadRows } from './run/statements.ts'
import { countEventsByDate } from './sql/events-by-date.ts'
import { readProperties } from './sql/stored-properties.ts'

/**
 * Days that each try looks back from the end of the range, until the page is full. Each try costs a
 * statement.
 */
const LOOK_BACK_DAYS = [1, 4, Number.POSITIVE_INFINITY]

/** A project whose events a page has. */
export type Member = { project: Pick<ReportProject, 'id' | 'name'>; read: LakeRead }

export type Order = 'asc' | 'desc'

export type PageRequest = {
  params: {
    limit: number
    event?: string | undefined
    session_id?: string | undefined
    /** Cursor of the last event that the caller has: the list continues after it, in its order. */
    before?: string | undefined
    /** Default: newest first. */
    order?: Order | undefined
  }
  /** Final ids of users; null: events of all users. */
  users: readonly string[] | null
  /** The projects whose events are read. If there are several, each event names its project. */
  members: readonly Member[]
}

/** `next`: the cursor of the next page; null after the last one. */
export type EventPage = { events: EventRow[]; next: string | null }

/**
 * One page of events by (timestamp, id). A first statement reads three narrow columns to find the positions
 * of the page's events. A second one reads all columns between the timestamps of these positions.
 */
export async function readEvents(
  rows: ReadRows,
  { params, users, members }: PageRequest,
): Promise<EventPage> {
  const filter: EventFilter = {
    ...params,
    users,
    before: params.before === undefined ? null : parseCursor(params.before),
    isAscending: params.order === 'asc',
  }
  // One more than the page shows whether there is a next page.
  const filterOnDates = { ...filter, dates: await findDates(rows, members, filter, params.limit + 1) }
  const positions = await findPositions(rows, members, filterOnDates, params.limit + 1)
  const page = positions.slice(0, params.limit)
  const pageRows = await readPage(rows, members, filterOnDates, page)
  const pageIds = new Set(page.map(toId))
  const eventsOfPage = pageRows
    .map(row => toEventRow(row, members))
    .filter(({ id }) => pageIds.has(id))
    // Copies of an event have the same id.
    .slice(0, page.length)
  const last = page.at(-1)
  const isCut = positions.length > params.limit && last !== undefined
  return { events: eventsOfPage, next: isCut ? encodeCursor(last) : null }
}

/** Which events of the range the caller asks for. */
type EventFilter = Pick<PageRequest['params'], 'event' | 'session_id'> & {
  users: readonly string[] | null
  /** Only events that come after this position in the order of the list. */
  before: EventPosition | null
  isAscending: boolean
  /**
   * UTC dates, Unix ms at midnight, newest first: the events of the page happened on one of them. Null: on
   * any date.
   */
  dates?: readonly number[] | null
}

/**
 * The first dates of the list on which the users have at least `limit` events, newest first, from the rollup:
 * reading the events of these dates takes much less time than searching all dates. Null without users, and if
 * the rollup cannot tell.
 */
async function findDates(
  rows: ReadRows,
  members: readonly Member[],
  { users, event, session_id, before, isAscending }: EventFilter,
  limit: number,
): Promise<number[] | null> {
  if (users === null) return null
  const isOfUsers = isOneOf(sql`user_ref`, users.map(shortKey))
  const isAsked = event === undefined ? isOfUsers : sql`${isOfUsers} AND event = ${event}`
  const counts = await Promise.all(members.map(({ read }) => countEventsByDate(rows, read, isAsked)))
  if (!counts.every(ofMember => ofMember !== null)) return null
  const byDate = new Map<number, number>()
  for (const { date, events } of counts.flat()) byDate.set(date, (byDate.get(date) ?? 0) + events)
  const isListed = (date: number) =>
    before === null || (isAscending ? date + DAY_MS > before.timestamp : date <= before.timestamp)
  // Of the date of the cursor, and of a filter that the rollup does not know, not all events may be in the
  // page. They do not count.
  const isCounted = (date: number) =>
    session_id === undefined &&
    (before === null || date > before.timestamp || date + DAY_MS <= before.timestamp)
  const dates: number[] = []
  let found = 0
  for (const date of [...byDate.keys()].toSorted((a, b) => (isAscending ? a - b : b - a))) {
    if (found >= limit) break
    if (!isListed(date)) continue
    dates.push(date)
    if (isCounted(date)) found += byDate.get(date) ?? 0
  }
  return dates.toSorted((a, b) => b - a)
}

/** The positions of the first `limit` events of the list, or of all if there are fewer. */
async function findPositions(
  rows: ReadRows,
  members: readonly Member[],
  filter: EventFilter,
  limit: number,
): Promise<EventPosition[]> {
  const positions: EventPosition[] = []
  const oldest = Math.min(...members.map(({ read }) => read.from))
  const end = Math.max(...members.map(({ read }) => read.to))
  const { dates, before, isAscending } = filter
  const start = isAscending && before !== null ? Math.max(oldest, before.timestamp) : oldest
  let to = isAscending || before === null ? end : Math.min(end, before.timestamp + 1)
  if (dates?.length === 0) return []
  const lookBackDays = dates == null && !isAscending ? LOOK_BACK_DAYS : [Number.POSITIVE_INFINITY]
  for (const days of lookBackDays) {
    if (positions.length >= limit || to <= start) break
    const from = Math.max(start, dates?.at(-1) ?? 0, Math.floor((to - 1) / DAY_MS - (days - 1)) * DAY_MS)
    const relation = eventsBetween(members, from, to, [...POSITION_COLUMNS, ...filterColumns(filter)])
    const olderRows = await rows(positionsSql(relation, filter, limit - positions.length))
    positions.push(...olderRows.map(toPosition))
    to = from
  }
  return positions
}

/** All columns of the events of the page. Events that arrived after findPositions may be among them. */
async function readPage(
  rows: ReadRows,
  members: readonly Member[],
  filter: EventFilter,
  page: readonly EventPosition[],
): Promise<Row[]> {
  const [first, last] = [page[0], page.at(-1)]
  if (first === undefined || last === undefined) return []
  const [from = 0, to = 0] = [first.timestamp, last.timestamp].toSorted((a, b) => a - b)
  const relation = eventsBetween(members, from, to + 1, PAGE_COLUMNS)
  return rows(pageSql(relation, filter, last, members.length > 1))
}

const POSITION_COLUMNS = ['timestamp', 'lag_s', 'seq'] as const
const PAGE_COLUMNS = eventColumns.map(column => column.name).filter(column => column !== 'project_id')

function filterColumns({ event, session_id, users }: EventFilter): EventColumnName[] {
  return [
    ...(event === undefined ? [] : ['event' as const]),
    ...(users === null ? [] : ['user_id' as const]),
    ...(session_id === undefined ? [] : ['session_id' as const]),
  ]
}

/** The events of all members; if there are several, with the column `member`, the index of the project. */
function eventsBetween(
  members: readonly Member[],
  from: number,
  to: number,
  columns: readonly EventColumnName[],
): SqlQuery {
  const relations = members.map(({ read }) =>
    eventsRelation({ ...read, from: Math.max(from, read.from), to: Math.min(to, read.to) }, columns),
  )
  if (relations.length === 1) return relations[0] as SqlQuery
  const names = join(columns.map(name), ', ')
  const selects = relations.map(
    (relation, i) => sql`SELECT ${names}, ${integer(i)} AS member FROM ${relation} AS member_event`,
  )
  return sql`(${join(selects, ' UNION ALL ')})`
}

function positionsSql(relation: SqlQuery, filter: EventFilter, limit: number): SqlQuery {
  return sql`SELECT ${SENT_AT} AS sent_at, lag_s, seq FROM ${relation} AS each_event
    WHERE ${condition(filter)} ${orderOf(filter)} LIMIT ${integer(limit)}`
}

/** There is no LIMIT: events that arrived since would push the last events of the page out. */
function pageSql(relation: SqlQuery, filter: EventFilter, last: EventPosition, isJoined: boolean): SqlQuery {
  const columns = PAGE_COLUMNS.filter(column => column !== 'timestamp').map(name)
  if (isJoined) columns.push(sql`member`)
  return sql`SELECT ${SENT_AT} AS sent_at, ${join(columns, ', ')} FROM ${relation} AS each_event
    WHERE ${condition(filter)} AND NOT ${isAfter(last, filter)} ${orderOf(filter)}`
}

/** Unix ms. */
const SENT_AT = sql`date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', timestamp)`

function orderOf({ isAscending }: EventFilter): SqlQuery {
  return isAscending
    ? sql`ORDER BY timestamp, lag_s, seq`
    : sql`ORDER BY timestamp DESC, lag_s DESC, seq DESC`
}

function condition(filter: EventFilter): SqlQuery {
  const { event, session_id, users, before, dates } = filter
  const conditions = [
    ...(event === undefined ? [] : [sql`event = ${event}`]),
    ...(users === null ? [] : [isOneOf(sql`user_id`, users)]),
    ...(session_id === undefined ? [] : [sql`session_id = ${session_id}`]),
    ...(before === null ? [] : [isAfter(before, filter)]),
    ...(dates == null ? [] : [isOnDates(dates)]),
  ]
  return conditions.length === 0 ? sql`true` : join(conditions, ' AND ')
}

/** Ranges of timestamps, because engines skip row groups by the timestamps in them. */
function isOnDates(dates: readonly number[]): SqlQuery {
  const ranges = dates
    .filter(date => !dates.includes(date + DAY_MS))
    .map(last => {
      let first = last
      while (dates.includes(first - DAY_MS)) first -= DAY_MS
      return sql`(timestamp >= ${timestamp(first)} AND timestamp < ${timestamp(last + DAY_MS)})`
    })
  return sql`(${join(ranges, ' OR ')})`
}

/** Whether an event comes after a position in the order of the list. */
function isAfter({ timestamp: ms, lag, seq }: EventPosition, { isAscending }: EventFilter): SqlQuery {
  const at = timestamp(ms)
  const is = isAscending ? sql`>` : sql`<`
  return sql`(timestamp ${is} ${at} OR (timestamp = ${at} AND (lag_s ${is} ${lag} OR (lag_s = ${lag} AND seq ${is} ${seq}))))`
}

function toPosition(row: Row): EventPosition {
  return { timestamp: Number(row.sent_at), lag: Number(row.lag_s), seq: Number(row.seq) }
}

function toId({ timestamp, lag, seq }: EventPosition): string {
  return eventUlid(timestamp, lag, seq)
}

/** A stored event in the form of docs/api/events.md. */
function toEventRow(row: Row, members: readonly Member[]): EventRow {
  const { project } = members[Number(row.member ?? 0)] as Member
  const position = toPosition(row)
  const text = (column: EventColumnName): string | null => (row[column] === null ? null : String(row[column]))
  return {
    id: toId(position),
    ...(row.event_id === null ? {} : { event_id: String(row.event_id) }),
    project_id: project.id,
    ...(members.length > 1 && { project: project.name }),
    event: String(row.event),
    properties: readProperties(row),
    user_id: text('user_id'),
    session_id: text('session_id'),
    timestamp: position.timestamp,
    date: utcDate(position.timestamp),
    country: text('country'),
  }
}
