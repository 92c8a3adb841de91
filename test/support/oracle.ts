import { eventUlid } from '#core/ingest/ids'
import type { EventRow } from '#schemas/event'
import type { Stats, StatsGroup } from '#schemas/stats'
import { localTime, shiftDate, startOfDate } from './oracle/common.ts'

/**
 * Every report, computed as plainly as can be from an array of events. Its source is the contract, not the SQL: where
 * the two disagree, one of them is wrong.
 */

/** One event as it was accepted. */
export type SentEvent = {
  project_id: string
  event: string
  properties: Record<string, unknown> | null
  user_id: string | null
  session_id: string | null
  timestamp: number
  country: string | null
  event_id: string | null
  /** Arrival, Unix ms, and the place among what arrived in that second. */
  received_at: number
  seq: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const AHEAD = 5 * 60_000

/** Contract 1.1: the same project and event_id within 24 h is stored once, the first copy. `sent` in order of arrival. */
export function withoutCopies(sent: readonly SentEvent[]): SentEvent[] {
  const kept: SentEvent[] = []
  for (const event of sent) {
    const again = kept.some(
      earlier =>
        event.event_id !== null &&
        earlier.event_id === event.event_id &&
        earlier.project_id === event.project_id &&
        Math.abs(secondOf(event.received_at) - secondOf(earlier.received_at)) <= DAY / 1000,
    )
    if (!again) kept.push(event)
  }
  return kept
}

export type OracleQuery = { project: string; since: string; now: number; tz?: string | undefined }

export function oracleStats(
  events: readonly SentEvent[],
  { project, since, now, groupBy, tz }: OracleQuery & { groupBy: StatsGroup },
): Stats {
  const zone = tz ?? 'UTC'
  const from = lowerBound(since, now, zone, groupBy === 'hour')
  const own = events.filter(event => event.project_id === project && event.timestamp <= now + AHEAD)
  const inRange = own.filter(event => event.timestamp >= from)
  return {
    project,
    period: {
      from: localTime(from, zone).date,
      to: localTime(now, zone).date,
      ...(tz !== undefined && { tz }),
      groupBy,
    },
    totals: { unique_users: users(inRange), total_events: inRange.length },
    timeSeries: [...Map.groupBy(inRange, event => bucketOf(event.timestamp, groupBy, zone))]
      .map(([bucket, of]) => ({ bucket, unique_users: users(of), total_events: of.length }))
      .sort((a, b) => byCodePoint(a.bucket, b.bucket)),
    events: [...Map.groupBy(inRange, event => event.event)]
      .map(([event, of]) => ({ event, count: of.length, unique_users: users(of) }))
      .sort((a, b) => b.count - a.count || byCodePoint(a.event, b.event))
      .slice(0, 20),
    sessions: oracleSessions(own, from),
    countries: [...Map.groupBy(inRange, event => event.country)]
      .map(([country, of]) => ({ country, count: of.length, unique_users: users(of) }))
      .sort(
        (a, b) =>
          b.count - a.count ||
          Number(a.country === null) - Number(b.country === null) ||
          byCodePoint(a.country ?? '', b.country ?? ''),
      )
      .slice(0, 20),
  }
}

const NOT_INTERACTIVE = new Set([
  'page_view',
  '$impression',
  '$scroll_depth',
  '$error',
  '$time_on_page',
  '$performance',
  '$web_vitals',
])

/** After 35 days without an event a session_id begins a new session. */
function oracleSessions(own: readonly SentEvent[], from: number): Stats['sessions'] {
  const since = Date.parse(isoDate(from)) - 35 * 86_400_000
  const seen = own.filter(event => event.timestamp >= since)
  const sessions = [...Map.groupBy(seen, event => event.session_id)]
    .filter(([id]) => id !== null)
    .map(([, of]) => of.toSorted(byPlace))
    .filter(of => (of[0] as SentEvent).timestamp >= from)
    .map(of => ({
      events: of.length,
      duration: (of.at(-1) as SentEvent).timestamp - (of[0] as SentEvent).timestamp,
      bounce: of.every(event => NOT_INTERACTIVE.has(event.event)),
      user: of.findLast(event => event.user_id !== null)?.user_id ?? null,
    }))
  const total = sessions.length
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
  const people = new Set(sessions.map(session => session.user).filter(user => user !== null)).size
  return {
    total_sessions: total,
    bounce_rate: halvesUp(sessions.filter(session => session.bounce).length, total, 3),
    avg_duration: halvesUp(sum(sessions.map(session => session.duration)), total, 0),
    pages_per_session: halvesUp(sum(sessions.map(session => session.events)), total, 1),
    sessions_per_user: halvesUp(total, Math.max(1, people), 1),
  }
}

/** All events that GET /events returns, newest first, before any limit. */
export function oracleEvents(
  events: readonly SentEvent[],
  { project, since, now }: OracleQuery,
  filter: { event?: string; user_id?: string; session_id?: string } = {},
): EventRow[] {
  const from = lowerBound(since, now, 'UTC', false)
  return events
    .filter(event => event.project_id === project)
    .filter(event => event.timestamp >= from && event.timestamp <= now + AHEAD)
    .filter(event => filter.event === undefined || event.event === filter.event)
    .filter(event => filter.user_id === undefined || event.user_id === filter.user_id)
    .filter(event => filter.session_id === undefined || event.session_id === filter.session_id)
    .toSorted((a, b) => byPlace(b, a))
    .map(event => ({
      id: eventUlid(event.timestamp, secondOf(event.received_at) - secondOf(event.timestamp), event.seq),
      ...(event.event_id === null ? {} : { event_id: event.event_id }),
      project_id: event.project_id,
      event: event.event,
      properties: event.properties,
      user_id: event.user_id,
      session_id: event.session_id,
      timestamp: event.timestamp,
      date: isoDate(event.timestamp),
      country: event.country,
    }))
}

/** R10 and U36, for `Nd`, dates and date-times. */
function lowerBound(since: string, now: number, tz: string, hourly: boolean): number {
  if (!since.endsWith('d')) {
    return startOfDate(since.includes('T') ? localTime(Date.parse(since), tz).date : since, tz)
  }
  const days = Number(since.slice(0, -1))
  if (hourly && days > 0) return now - days * DAY
  return startOfDate(shiftDate(localTime(now, tz).date, -days), tz)
}

function bucketOf(timestamp: number, groupBy: StatsGroup, tz: string): string {
  const { date, hour, weekday } = localTime(timestamp, tz)
  switch (groupBy) {
    case 'hour':
      return `${date}T${String(hour).padStart(2, '0')}:00`
    case 'day':
      return date
    case 'week':
      // Sunday is 0, so Monday is six days before the next Sunday.
      return shiftDate(date, -((weekday + 6) % 7))
    case 'month':
      return date.slice(0, 7)
  }
}

function users(events: readonly SentEvent[]): number {
  return new Set(events.map(event => event.user_id).filter(user => user !== null)).size
}

function byPlace(a: SentEvent, b: SentEvent): number {
  return a.timestamp - b.timestamp || secondOf(a.received_at) - secondOf(b.received_at) || a.seq - b.seq
}

/** The order of Unicode code points, which is the order of UTF-8 bytes, and not that of JavaScript's `<`. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** a / b with so many decimals, halves up: by long division in whole numbers. */
function halvesUp(a: number, b: number, decimals: number): number {
  if (b === 0) return 0
  const scale = 10 ** decimals
  return Math.floor((2 * a * scale + b) / (2 * b)) / scale
}

/** Arrival is kept by the second. */
function secondOf(ms: number): number {
  return Math.floor(ms / 1000)
}
