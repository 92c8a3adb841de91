import { eventUlid } from '#core/ingest/ids'
import type { EventRow } from '#schemas/event'
import type { Stats, StatsGroup } from '#schemas/stats'
import { daysBetween, localTime, shiftDate, startOfDate } from './oracle/common.ts'
import type { SentEvent } from './oracle/sent-event.ts'
import { NON_INTERACTIVE } from './oracle/sessions.ts'

/**
 * Computes every report from an array of events, in the simplest way. It follows docs/api and shares no code
 * with the SQL, so when the two disagree, one of them is wrong.
 */

const HOUR = 3_600_000
const DAY = 24 * HOUR
const AHEAD = 5 * 60_000

/**
 * Keeps the first copy of each event_id of a project within 24 h (docs/api/ingestion.md), and among those
 * with a credential if there is one (U63). `sent` is in order of arrival.
 */
export function withoutCopies(sent: readonly SentEvent[]): SentEvent[] {
  const stored: SentEvent[] = []
  const isCopyOf = (event: SentEvent, other: SentEvent) =>
    event.event_id !== null &&
    other.event_id === event.event_id &&
    other.project_id === event.project_id &&
    Math.abs(secondOf(event.received_at) - secondOf(other.received_at)) <= DAY / 1000
  for (const event of sent) {
    const rivals = event.credentialed ? stored.filter(({ credentialed }) => credentialed) : stored
    const loses = !event.credentialed && sent.some(other => other.credentialed && isCopyOf(event, other))
    if (!loses && !rivals.some(other => isCopyOf(event, other))) stored.push(event)
  }
  return stored
}

export type OracleQuery = {
  project: string
  since: string
  until?: string | undefined
  now: number
  tz?: string | undefined
}

export function oracleStats(
  events: readonly SentEvent[],
  { project, since, until, now, groupBy, tz }: OracleQuery & { groupBy: StatsGroup },
): Stats {
  const zone = tz ?? 'UTC'
  const from = lowerBound(since, now, zone, groupBy === 'hour')
  const end = upperBound(until, now, zone)
  const own = events.filter(event => event.project_id === project && event.timestamp <= now + AHEAD)
  const inRange = own.filter(event => event.timestamp >= from && event.timestamp < end)
  const isExact = groupBy === 'hour' && /^[1-9]\d*d$/.test(since)
  return {
    project,
    period: {
      from: localTime(from, zone).date,
      to: localTime(Math.min(end - 1, now), zone).date,
      days: daysBetween(localTime(from, zone).date, localTime(Math.min(end - 1, now), zone).date),
      ...(end > now && { running: true as const }),
      ...(isExact && { since: new Date(from).toISOString() }),
      ...(tz !== undefined && { tz }),
      groupBy,
    },
    totals: { unique_users: users(inRange), total_events: inRange.length },
    timeSeries: [...Map.groupBy(inRange, event => intervalOf(event.timestamp, groupBy, zone))]
      .map(([bucket, group]) => ({
        bucket,
        unique_users: users(group),
        total_events: group.length,
      }))
      .sort((a, b) => byCodePoint(a.bucket, b.bucket)),
    events: [...Map.groupBy(inRange, event => event.event)]
      .map(([event, group]) => ({ event, count: group.length, unique_users: users(group) }))
      .sort((a, b) => b.count - a.count || byCodePoint(a.event, b.event))
      .slice(0, 20),
    sessions: oracleSessions(own, from, end),
    countries: [...Map.groupBy(inRange, event => event.country)]
      .map(([country, group]) => ({ country, count: group.length, unique_users: users(group) }))
      .sort(
        (a, b) =>
          b.count - a.count ||
          Number(a.country === null) - Number(b.country === null) ||
          byCodePoint(a.country ?? '', b.country ?? ''),
      )
      .slice(0, 20),
  }
}

/**
 * Only events of the last 35 days before the range belong to a session, and those until two days after its
 * last date.
 */
function oracleSessions(own: readonly SentEvent[], from: number, end: number): Stats['sessions'] {
  const since = Date.parse(isoDate(from)) - 35 * DAY
  const seen = own.filter(
    event => event.timestamp >= since && event.timestamp < (Math.ceil(end / DAY) + 2) * DAY,
  )
  const sessions = [...Map.groupBy(seen, event => event.session_id)]
    .filter(([id]) => id !== null)

    .map(([, group]) => group.toSorted(byPosition))
    .filter(([first]) => (first as SentEvent).timestamp >= from && (first as SentEvent).timestamp < end)
    .map(group => ({
      events: group.length,
      duration: (group.at(-1) as SentEvent).timestamp - (group[0] as SentEvent).timestamp,
      isSinglePage: group.filter(({ event }) => event === 'page_view').length === 1,
      bounce: group.every(event => NON_INTERACTIVE.has(event.event)),
      user: group.findLast(event => event.user_id !== null)?.user_id ?? null,
    }))
  const total = sessions.length
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
  const userCount = new Set(sessions.map(session => session.user).filter(user => user !== null)).size
  return {
    total_sessions: total,
    bounce_rate: roundHalfUp(sessions.filter(session => session.bounce).length, total, 3),
    single_page_rate: roundHalfUp(sessions.filter(session => session.isSinglePage).length, total, 3),
    avg_duration: roundHalfUp(sum(sessions.map(session => session.duration)), total, 0),
    pages_per_session: roundHalfUp(sum(sessions.map(session => session.events)), total, 1),
    sessions_per_user: roundHalfUp(total, Math.max(1, userCount), 1),
  }
}

/** Returns all events that GET /events returns without a limit, newest first. */
export function oracleEvents(
  events: readonly SentEvent[],
  { project, since, until, now }: OracleQuery,
  filter: { event?: string; user_id?: string; session_id?: string } = {},
): EventRow[] {
  const from = lowerBound(since, now, 'UTC', false)
  const end = upperBound(until, now, 'UTC')
  return events
    .filter(event => event.project_id === project)
    .filter(event => event.timestamp >= from && event.timestamp < end)
    .filter(event => filter.event === undefined || event.event === filter.event)
    .filter(event => filter.user_id === undefined || event.user_id === filter.user_id)
    .filter(event => filter.session_id === undefined || event.session_id === filter.session_id)
    .toSorted((a, b) => byPosition(b, a))
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

/** The end of the range of `until`: of a date its end, a time itself; at most five minutes after now. */
function upperBound(until: string | undefined, now: number, tz: string): number {
  const latest = now + AHEAD + 1
  if (until === undefined) return latest
  if (until.includes('T')) return Math.min(Date.parse(until), latest)
  const date = until.endsWith('d') ? localTime(lowerBound(until, now, tz, false), tz).date : until
  return Math.min(startOfDate(shiftDate(date, 1), tz), latest)
}

/** Returns the start of the range for `Nd`, dates and date-times (R10, U36, U76). */
function lowerBound(since: string, now: number, tz: string, hourly: boolean): number {
  if (since.includes('T')) return Date.parse(since)
  if (!since.endsWith('d')) return startOfDate(since, tz)
  const days = Number(since.slice(0, -1))
  if (hourly && days > 0) return now - days * DAY
  return startOfDate(shiftDate(localTime(now, tz).date, -days), tz)
}

function intervalOf(timestamp: number, groupBy: StatsGroup, tz: string): string {
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

function byPosition(a: SentEvent, b: SentEvent): number {
  return a.timestamp - b.timestamp || secondOf(a.received_at) - secondOf(b.received_at) || a.seq - b.seq
}

/**
 * Compares by Unicode code points, which is the order of UTF-8 bytes. JavaScript's `<` compares UTF-16 units.
 */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Returns a / b, rounded half up to `decimals` decimals. Computes with whole numbers. */
function roundHalfUp(a: number, b: number, decimals: number): number {
  if (b === 0) return 0
  const scale = 10 ** decimals
  return Math.floor((2 * a * scale + b) / (2 * b)) / scale
}

/** The lake stores arrival times in seconds. */
function secondOf(ms: number): number {
  return Math.floor(ms / 1000)
}
