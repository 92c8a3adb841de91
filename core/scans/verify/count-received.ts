import type { LakeRead } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import type { DatedParams } from '#core/reports/run/asked-range'
import { defineReport } from '#core/reports/run/run'
import { propertyValue } from '#core/reports/sql/property-value'
import { integer, join, sql, trustedSql, unixMs } from '#core/sql/sql'
import { DAY_MS } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { RECOMMENDED_EVENTS } from '#schemas/website-scans'
import { MAX_SOURCES, type Received } from './received.ts'

/** Names that are counted, the most frequent ones. */
const MAX_NAMES = 1_000
/** Planned events: only they have several rows. */
const MAX_PLANNED = RECOMMENDED_EVENTS.full.max
/** Events that are older are not looked at, so that a check of a large project stays cheap. */
const MAX_DAYS = 90
/** An event that comes this soon after a page view may be sent by the page itself, ms. */
const AFTER_PAGE_VIEW_MS = 2_000
/** Two events of one name this close together may be one that is sent twice, ms. */
const REPEAT_MS = 1_000

type Params = DatedParams & {
  /** When the analysis began, Unix ms. */
  startedAt: number
  /** Names of the recommended events. */
  planned: readonly string[]
  /** Names of their properties: at most 8 events with a few each. */
  properties: readonly string[]
}

/** What has arrived in a project since an analysis, by event name (docs/api/website-scans.md). */
export const receivedSince = defineReport<Params, Received>({
  range: ({ startedAt }, { now }) => ({
    from: Math.max(startedAt, now - MAX_DAYS * DAY_MS),
    to: now + EVENT_LIMITS.futureMs + 1,
  }),
  sql: ({ read, params }) => countsSql(read, params),
  shape: (rows, { params: { properties } }) => ({
    page_views: Number(rows.find(({ event }) => event === 'page_view')?.events ?? 0),
    events: [...Map.groupBy(rows, ({ event }) => event).values()].map(own => toReceived(own, properties)),
  }),
})

/**
 * One scan: the window functions look at the events before each event in its session. Of a planned event the
 * most frequent pages and places have a row each, and what counts the event is the same in all of them.
 */
function countsSql(read: LakeRead, { planned, properties }: Params): SqlQuery {
  const isPlanned = sql`event IN (${join(
    planned.map(name => sql`${name}`),
    ', ',
  )})`
  const place = propertyValue('place')
  // Trino refuses a name that two columns have, and a planned property may be `path`.
  const fields = new Set([
    ...(['event', 'session_id', 'timestamp', 'lag_s', 'seq', 'path'] as const),
    ...[...properties, 'place'].flatMap(name => propertyValue(name).fields),
  ])
  const kept = properties.map(
    (name, i) =>
      sql`CASE WHEN ${isPlanned} AND ${propertyValue(name).scalar} IS NOT NULL THEN 1 END AS ${column(i)}`,
  )
  const rows = sql`SELECT event, ${unixMs(sql`timestamp`)} AS sent_ms,
        CASE WHEN ${isPlanned} THEN path END AS page,
        CASE WHEN ${isPlanned} THEN ${place.scalar} END AS place,
        CASE WHEN session_id IS NOT NULL THEN ${unixMs(sql`lag(timestamp) OVER (PARTITION BY session_id, event ORDER BY timestamp, lag_s, seq)`)} END AS same_ms,
        CASE WHEN session_id IS NOT NULL THEN ${unixMs(sql`max(CASE WHEN event = 'page_view' THEN timestamp END) OVER (PARTITION BY session_id ORDER BY timestamp, lag_s, seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`)} END AS page_ms
        ${kept.length > 0 ? sql`, ${join(kept, ', ')}` : sql``}
      FROM ${events(read, [...fields])} AS each_event`
  const isAfter = sql`sent_ms - page_ms <= ${integer(AFTER_PAGE_VIEW_MS)} AND (same_ms IS NULL OR same_ms < page_ms)`
  const counts = properties.map((_, i) => sql`count(${column(i)}) AS ${column(i)}`)
  const sums = properties.map((_, i) => sql`sum(${column(i)}) OVER (PARTITION BY event) AS ${column(i)}`)
  const sources = sql`SELECT event, page, place, count(*) AS events, max(sent_ms) AS last_at,
        count(CASE WHEN ${isAfter} THEN 1 END) AS after_page_view,
        count(CASE WHEN sent_ms - same_ms <= ${integer(REPEAT_MS)} THEN 1 END) AS repeats
        ${counts.length > 0 ? sql`, ${join(counts, ', ')}` : sql``}
      FROM (${rows}) AS event_of_session GROUP BY event, page, place`
  return sql`SELECT * FROM (
      SELECT event, page, place, events AS events_of_source, sum(events) OVER (PARTITION BY event) AS events,
        max(last_at) OVER (PARTITION BY event) AS last_at, sum(after_page_view) OVER (PARTITION BY event) AS after_page_view,
        sum(repeats) OVER (PARTITION BY event) AS repeats,
        row_number() OVER (PARTITION BY event ORDER BY events DESC, page, place) AS rank_of_source
        ${sums.length > 0 ? sql`, ${join(sums, ', ')}` : sql``}
      FROM (${sources}) AS events_of_source_rows
    ) AS ranked_sources WHERE rank_of_source <= ${integer(MAX_SOURCES)}
    ORDER BY events DESC, event, rank_of_source LIMIT ${integer(MAX_NAMES + MAX_PLANNED * MAX_SOURCES)}`
}

function toReceived(rows: readonly Row[], properties: readonly string[]): Received['events'][number] {
  const row = rows[0] as Row
  return {
    event: String(row.event),
    count: Number(row.events),
    last_seen_at: row.last_at === null || row.last_at === undefined ? null : Number(row.last_at),
    from: rows.map(({ page, place, events_of_source }) => ({
      page: textOf(page),
      place: textOf(place),
      count: Number(events_of_source),
    })),
    properties: Object.fromEntries(properties.map((name, i) => [name, Number(row[`has_${i}`] ?? 0)])),
    after_page_view: Number(row.after_page_view),
    repeats: Number(row.repeats),
    is_used: null,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Names of columns of this file only. */
function column(i: number): SqlQuery {
  return trustedSql(`has_${i}`)
}
