import type { z } from 'zod'
import { eventUlid } from '#core/ingest/ids'
import { events as eventsRelation, type LakeRead, oldestEvent } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { integer, join, name, sql, timestamp } from '#core/sql'
import { DAY_MS, utcDate } from '#core/time'
import { eventColumns } from '#schemas/columns'
import type { EventRow } from '#schemas/event'
import type { EventsResponse, eventsQuery } from '#schemas/events'
import { type EventPosition, encodeCursor, parseCursor } from './cursor.ts'
import { readProperties } from './properties.ts'
import { range } from './range.ts'
import type { ReportRequest, ReportServices } from './report.ts'

/** The question, once it is checked. */
export type EventsQuery = Pick<
  z.output<typeof eventsQuery>,
  'since' | 'days' | 'event' | 'user_id' | 'session_id' | 'limit' | 'before'
>

const DEFAULT_DAYS = 7
/** Each looks at days before the last one, and costs a statement. */
const LOOK_BACK_DAYS = [1, 4, Number.POSITIVE_INFINITY]

/**
 * GET /events (contract 1.3): newest first by (timestamp, id). First the places of the rows are found by three narrow
 * columns, looking back one day, then four, then all the way: mostly the first day has enough. Then the rows are read
 * whole, between the timestamps that they turned out to have; what has come there since is left for another call.
 */
export async function events(
  { engine, lakeState, clock }: ReportServices,
  { project, query, signal }: ReportRequest<EventsQuery>,
): Promise<EventsResponse> {
  const before = query.before === undefined ? null : parseCursor(query.before)
  const { from: asked, to } = range(query, clock.now(), DEFAULT_DAYS)
  const from = Math.max(asked, oldestEvent(project))
  const snapshot = await lakeState.lake()
  const rows = (statement: SqlQuery) => engine.rows(statement, { signal, snapshot })
  const filters = filtersOf(query)
  const wanted = query.limit + 1
  const places: EventPosition[] = []
  let end = before === null ? to : Math.min(to, before.timestamp + 1)
  for (const days of LOOK_BACK_DAYS) {
    if (places.length >= wanted || end <= from) break
    const start = Math.max(from, Math.floor((end - 1) / DAY_MS - (days - 1)) * DAY_MS)
    const read = { snapshot, project, from: start, to: end }
    const found = await rows(placesOf(read, filters, before, wanted - places.length))
    places.push(...found.map(placeOf))
    end = start
  }
  const page = places.slice(0, query.limit)
  const [newest, oldest] = [page[0], page.at(-1)]
  const found =
    newest === undefined || oldest === undefined
      ? []
      : await rows(
          wholeRows(
            { snapshot, project, from: oldest.timestamp, to: newest.timestamp + 1 },
            filters,
            before,
            oldest,
          ),
        )
  const ids = new Set(page.map(idOf))
  const listed = found
    .map(row => eventRow(project.id, row))
    .filter(({ id }) => ids.has(id))
    // Copies have one id.
    .slice(0, page.length)
  return {
    project: project.name,
    events: listed,
    count: listed.length,
    next_before: places.length > query.limit && oldest !== undefined ? encodeCursor(oldest) : null,
  }
}

type Filter = { column: 'event' | 'user_id' | 'session_id'; value: string }

function filtersOf(query: EventsQuery): Filter[] {
  const columns = ['event', 'user_id', 'session_id'] as const
  return columns.flatMap(column => {
    const value = query[column]
    return value === undefined ? [] : [{ column, value }]
  })
}

function placesOf(
  read: LakeRead,
  filters: readonly Filter[],
  before: EventPosition | null,
  limit: number,
): SqlQuery {
  const columns = ['timestamp', 'lag_s', 'seq', ...filters.map(({ column }) => column)]
  return sql`SELECT ${SENT_AT} AS sent_at, lag_s, seq FROM ${eventsRelation(read, columns)} AS each_event
    WHERE ${condition(filters, before)} ${NEWEST_FIRST} LIMIT ${integer(limit)}`
}

/** No LIMIT: rows that have come since the places were found would push out the last of them. */
function wholeRows(
  read: LakeRead,
  filters: readonly Filter[],
  before: EventPosition | null,
  oldest: EventPosition,
): SqlQuery {
  const columns = eventColumns.map(column => column.name).filter(column => column !== 'project_id')
  const shown = columns.filter(column => column !== 'timestamp').map(name)
  return sql`SELECT ${SENT_AT} AS sent_at, ${join(shown, ', ')} FROM ${eventsRelation(read, columns)} AS each_event
    WHERE ${condition(filters, before)} AND NOT ${olderThan(oldest)} ${NEWEST_FIRST}`
}

/** Unix ms. */
const SENT_AT = sql`date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', timestamp)`

const NEWEST_FIRST = sql`ORDER BY timestamp DESC, lag_s DESC, seq DESC`

function condition(filters: readonly Filter[], before: EventPosition | null): SqlQuery {
  const conditions = filters.map(({ column, value }) => sql`${name(column)} = ${value}`)
  if (before !== null) conditions.push(olderThan(before))
  return conditions.length === 0 ? sql`true` : join(conditions, ' AND ')
}

function olderThan({ timestamp: ms, lag, seq }: EventPosition): SqlQuery {
  const at = timestamp(ms)
  return sql`(timestamp < ${at} OR (timestamp = ${at} AND (lag_s < ${lag} OR (lag_s = ${lag} AND seq < ${seq}))))`
}

function placeOf(row: Row): EventPosition {
  return { timestamp: Number(row.sent_at), lag: Number(row.lag_s), seq: Number(row.seq) }
}

function idOf({ timestamp, lag, seq }: EventPosition): string {
  return eventUlid(timestamp, lag, seq)
}

/** One stored event as a caller sees it. */
function eventRow(projectId: string, row: Row): EventRow {
  const place = placeOf(row)
  const textOf = (column: string): string | null => (row[column] === null ? null : String(row[column]))
  return {
    id: idOf(place),
    ...(row.event_id === null ? {} : { event_id: String(row.event_id) }),
    project_id: projectId,
    event: String(row.event),
    properties: readProperties(row),
    user_id: textOf('user_id'),
    session_id: textOf('session_id'),
    timestamp: place.timestamp,
    date: utcDate(place.timestamp),
    country: textOf('country'),
  }
}
