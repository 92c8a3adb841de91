import type { z } from 'zod'
import { eventUlid } from '#core/ingest/ids'
import { events as eventsRelation, type LakeRead } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { integer, join, name, sql, timestamp } from '#core/sql'
import { DAY_MS, utcDate } from '#core/time'
import { type EventColumnName, eventColumns } from '#schemas/columns'
import type { EventRow } from '#schemas/event'
import type { EventsResponse, eventsQuery } from '#schemas/events'
import { type EventPosition, encodeCursor, parseCursor } from './cursor.ts'
import { defineReport, type ReportRequest, sinceDays } from './run.ts'
import type { ReadRows } from './statements.ts'
import { readProperties } from './stored-properties.ts'

export type EventsParams = Omit<z.output<typeof eventsQuery>, 'project'>

/** Days that each try looks back from the end of the range, until the page is full. Each try costs a statement. */
const LOOK_BACK_DAYS = [1, 4, Number.POSITIVE_INFINITY]

/**
 * GET /events (contract 1.3): newest first by (timestamp, id). A first statement reads three narrow columns to find the
 * positions of the page's events. A second one reads all columns between the timestamps of these positions.
 */
export const events = defineReport<EventsParams, EventsResponse>({
  range: sinceDays(7),
  compute: readEvents,
})

/** One page of events. POST /events and the journeys read events by the same function. */
export async function readEvents(
  rows: ReadRows,
  { project, params, read }: Pick<ReportRequest<EventsParams>, 'project' | 'params' | 'read'>,
): Promise<EventsResponse> {
  const filter: EventFilter = {
    values: filterValues(params),
    before: params.before === undefined ? null : parseCursor(params.before),
  }
  // One more than the page shows whether there is a next page.
  const positions = await findPositions(rows, read, filter, params.limit + 1)
  const page = positions.slice(0, params.limit)
  const pageRows = await readPage(rows, read, filter, page)
  const pageIds = new Set(page.map(toId))
  const eventsOfPage = pageRows
    .map(row => toEventRow(project.id, row))
    .filter(({ id }) => pageIds.has(id))
    // Copies of an event have the same id.
    .slice(0, page.length)
  const oldest = page.at(-1)
  return {
    project: project.name,
    events: eventsOfPage,
    count: eventsOfPage.length,
    next_before: positions.length > params.limit && oldest !== undefined ? encodeCursor(oldest) : null,
  }
}

/** Which events of the range the caller asks for. */
type EventFilter = {
  values: readonly { column: 'event' | 'user_id' | 'session_id'; value: string }[]
  /** Only events that are older than this position. */
  before: EventPosition | null
}

function filterValues(params: EventsParams): EventFilter['values'] {
  const columns = ['event', 'user_id', 'session_id'] as const
  return columns.flatMap(column => {
    const value = params[column]
    return value === undefined ? [] : [{ column, value }]
  })
}

/** The positions of the newest `limit` events, or of all if there are fewer. */
async function findPositions(
  rows: ReadRows,
  read: LakeRead,
  filter: EventFilter,
  limit: number,
): Promise<EventPosition[]> {
  const positions: EventPosition[] = []
  let to = filter.before === null ? read.to : Math.min(read.to, filter.before.timestamp + 1)
  for (const days of LOOK_BACK_DAYS) {
    if (positions.length >= limit || to <= read.from) break
    const from = Math.max(read.from, Math.floor((to - 1) / DAY_MS - (days - 1)) * DAY_MS)
    const olderRows = await rows(positionsSql({ ...read, from, to }, filter, limit - positions.length))
    positions.push(...olderRows.map(toPosition))
    to = from
  }
  return positions
}

/** All columns of the events of the page. Events that arrived after findPositions may be among them. */
async function readPage(
  rows: ReadRows,
  read: LakeRead,
  filter: EventFilter,
  page: readonly EventPosition[],
): Promise<Row[]> {
  const [newest, oldest] = [page[0], page.at(-1)]
  if (newest === undefined || oldest === undefined) return []
  return rows(pageSql({ ...read, from: oldest.timestamp, to: newest.timestamp + 1 }, filter, oldest))
}

function positionsSql(read: LakeRead, filter: EventFilter, limit: number): SqlQuery {
  const columns: EventColumnName[] = [
    'timestamp',
    'lag_s',
    'seq',
    ...filter.values.map(({ column }) => column),
  ]
  return sql`SELECT ${SENT_AT} AS sent_at, lag_s, seq FROM ${eventsRelation(read, columns)} AS each_event
    WHERE ${condition(filter)} ${NEWEST_FIRST} LIMIT ${integer(limit)}`
}

/** There is no LIMIT: events that arrived since would push the last events of the page out. */
function pageSql(read: LakeRead, filter: EventFilter, oldest: EventPosition): SqlQuery {
  const columns = eventColumns.map(column => column.name).filter(column => column !== 'project_id')
  const storedColumns = columns.filter(column => column !== 'timestamp').map(name)
  return sql`SELECT ${SENT_AT} AS sent_at, ${join(storedColumns, ', ')} FROM ${eventsRelation(read, columns)} AS each_event
    WHERE ${condition(filter)} AND NOT ${isOlderThan(oldest)} ${NEWEST_FIRST}`
}

/** Unix ms. */
const SENT_AT = sql`date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', timestamp)`

const NEWEST_FIRST = sql`ORDER BY timestamp DESC, lag_s DESC, seq DESC`

function condition({ values, before }: EventFilter): SqlQuery {
  const conditions = values.map(({ column, value }) => sql`${name(column)} = ${value}`)
  if (before !== null) conditions.push(isOlderThan(before))
  return conditions.length === 0 ? sql`true` : join(conditions, ' AND ')
}

function isOlderThan({ timestamp: ms, lag, seq }: EventPosition): SqlQuery {
  const at = timestamp(ms)
  return sql`(timestamp < ${at} OR (timestamp = ${at} AND (lag_s < ${lag} OR (lag_s = ${lag} AND seq < ${seq}))))`
}

function toPosition(row: Row): EventPosition {
  return { timestamp: Number(row.sent_at), lag: Number(row.lag_s), seq: Number(row.seq) }
}

function toId({ timestamp, lag, seq }: EventPosition): string {
  return eventUlid(timestamp, lag, seq)
}

/** A stored event in the form of the contract. */
function toEventRow(projectId: string, row: Row): EventRow {
  const position = toPosition(row)
  const text = (column: EventColumnName): string | null => (row[column] === null ? null : String(row[column]))
  return {
    id: toId(position),
    ...(row.event_id === null ? {} : { event_id: String(row.event_id) }),
    project_id: projectId,
    event: String(row.event),
    properties: readProperties(row),
    user_id: text('user_id'),
    session_id: text('session_id'),
    timestamp: position.timestamp,
    date: utcDate(position.timestamp),
    country: text('country'),
  }
}
