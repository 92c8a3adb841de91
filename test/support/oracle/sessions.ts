import { expect } from 'vitest'
import {
  byCodePoint,
  byPosition,
  countUsers,
  eventsOf,
  isInRange,
  localTime,
  type OracleRequest,
  periodOf,
  ratioOf,
  round,
  searchStart,
  sessionsEnd,
  shiftDate,
  sum,
} from './common.ts'
import type { SentEvent } from './sent-event.ts'

/**
 * Names of events that leave a session a bounce: written down here, so that a change of the service shows.
 */
export const NON_INTERACTIVE: ReadonlySet<string> = new Set([
  'page_view',
  '$impression',
  '$scroll_depth',
  '$error',
  '$time_on_page',
  '$performance',
  '$web_vitals',
  '$experiment_exposure',
])

export type OracleSession = {
  id: string
  user: string | null
  start: number
  end: number
  events: SentEvent[]
  isBounce: boolean
  entryPage: string | null
  exitPage: string | null
}

/**
 * The sessions that start in the range. A session_id that pauses for more than 35 days before the range
 * begins a new session (docs/decisions/2026-11-21-s3-requests-of-a-read.md).
 */
export function oracleSessionList(events: readonly SentEvent[], request: OracleRequest): OracleSession[] {
  const end = sessionsEnd(request)
  const own = eventsOf(events, request).filter(event => event.timestamp < end)
  const searchFrom = searchStart(request)
  return [...Map.groupBy(own, event => event.session_id)]
    .flatMap(([id, ofSession]) => (id === null ? [] : [{ id, all: ofSession }]))
    .map(({ id, all }) =>
      toSession(id, all.filter(event => event.timestamp >= searchFrom).toSorted(byPosition)),
    )
    .filter(session => session !== null)
    .filter(session => isInRange(session.start, request))
}

function toSession(id: string, events: SentEvent[]): OracleSession | null {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return null
  const pages = events.map(pageOf).filter(page => page !== null)
  return {
    id,
    user: events.findLast(event => event.user_id !== null)?.user_id ?? null,
    start: first.timestamp,
    end: last.timestamp,
    events,
    isBounce: events.every(event => NON_INTERACTIVE.has(event.event)),
    entryPage: pages[0] ?? null,
    exitPage: pages.at(-1) ?? null,
  }
}

/** `path`, else `url`; a value that is not text, or is empty, counts as absent (U35). */
export function pageOf({ properties }: SentEvent): string | null {
  for (const key of ['path', 'url']) {
    const value = properties !== null && Object.hasOwn(properties, key) ? properties[key] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

export function oracleSessions(
  events: readonly SentEvent[],
  request: OracleRequest,
  filter: { limit: number; user_id?: string; is_bounce?: number },
) {
  const found = oracleSessionList(events, request)
    .filter(session => filter.user_id === undefined || session.user === filter.user_id)
    .filter(session => filter.is_bounce === undefined || Number(session.isBounce) === filter.is_bounce)
    .toSorted((a, b) => b.start - a.start || byCodePoint(a.id, b.id))
  return {
    project: request.project,
    period: periodOf(request),
    next_before: found.length > filter.limit ? expect.any(String) : null,
    sessions: found.slice(0, filter.limit).map(session => ({
      session_id: session.id,
      user_id: session.user,
      project_id: request.project,
      start_time: session.start,
      end_time: session.end,
      duration: session.end - session.start,
      entry_page: session.entryPage,
      exit_page: session.exitPage,
      event_count: session.events.length,
      is_bounce: session.isBounce ? 1 : 0,
      date: localTime(session.start, request.tz).date,
      has_replay: false,
      replay_count: 0,
    })),
    ...(found.length > filter.limit && { truncated: true, total_rows: found.length }),
  }
}

const BUCKETS: [name: string, below: number][] = [
  ['0s', 1],
  ['1-10s', 10_000],
  ['10-30s', 30_000],
  ['30-60s', 60_000],
  ['1-3m', 180_000],
  ['3-10m', 600_000],
  ['10m+', Number.POSITIVE_INFINITY],
]

export function oracleDistribution(events: readonly SentEvent[], request: OracleRequest) {
  const found = oracleSessionList(events, request)
  const bucketOf = (session: OracleSession) =>
    BUCKETS.find(([, below]) => session.end - session.start < below)?.[0] ?? ''
  const distribution = BUCKETS.map(([bucket]) => ({
    bucket,
    of: found.filter(session => bucketOf(session) === bucket),
  }))
    .filter(({ of }) => of.length > 0)
    .map(({ bucket, of }) => ({
      bucket,
      sessions: of.length,
      bounces: of.filter(session => session.isBounce).length,
      avg_events: ratioOf(sum(of.map(session => session.events.length)), of.length, 1),
      pct: ratioOf(of.length * 100, found.length, 1),
    }))
  let running = 0
  const median = distribution.find(({ sessions }) => {
    running += sessions
    return running >= found.length / 2
  })
  const engaged = found.filter(session => session.end - session.start >= 30_000).length
  return {
    project: request.project,
    period: periodOf(request),
    distribution,
    median_bucket: median?.bucket ?? null,
    engaged_pct: ratioOf(engaged * 100, found.length, 1),
  }
}

export function oraclePages(
  events: readonly SentEvent[],
  request: OracleRequest,
  { type, limit }: { type: 'entry' | 'exit' | 'both'; limit: number },
) {
  const found = oracleSessionList(events, request)
  const list = (page: (session: OracleSession) => string | null) =>
    [...Map.groupBy(found, page)]
      .flatMap(([name, of]) => (name === null ? [] : [{ name, of }]))
      .map(({ name, of }) => ({
        page: name,
        sessions: of.length,
        bounces: of.filter(session => session.isBounce).length,
        bounce_rate: ratioOf(of.filter(session => session.isBounce).length, of.length, 3),
        avg_duration: ratioOf(sum(of.map(session => session.end - session.start)), of.length, 0),
        avg_events: ratioOf(sum(of.map(session => session.events.length)), of.length, 1),
      }))
      .toSorted((a, b) => b.sessions - a.sessions || byCodePoint(a.page, b.page))
  const entry = type === 'exit' ? [] : list(session => session.entryPage)
  const exit = type === 'entry' ? [] : list(session => session.exitPage)
  return {
    project: request.project,
    period: periodOf(request),
    ...(type !== 'exit' && { entry_pages: entry.slice(0, limit) }),
    ...(type !== 'entry' && { exit_pages: exit.slice(0, limit) }),
    ...((entry.length > limit || exit.length > limit) && {
      truncated: true,
      total_rows: entry.length + exit.length,
    }),
  }
}

export function oracleHeatmap(events: readonly SentEvent[], request: OracleRequest) {
  const own = eventsOf(events, request).filter(event => isInRange(event.timestamp, request))
  const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
  const cells: { day: number; day_name: string | undefined; hour: number; events: number; users: number }[] =
    []
  for (let day = 0; day < 7; day++) {
    for (let hour = 0; hour < 24; hour++) {
      const of = own.filter(event => {
        const local = localTime(event.timestamp, request.tz)
        return local.weekday === day && local.hour === hour
      })
      if (of.length > 0)
        cells.push({ day, day_name: names[day], hour, events: of.length, users: countUsers(of) })
    }
  }
  const most = Math.max(...cells.map(cell => cell.events))
  const daySums = names.map((_, day) => sum(cells.filter(cell => cell.day === day).map(cell => cell.events)))
  const hourSums = Array.from({ length: 24 }, (_, hour) =>
    sum(cells.filter(cell => cell.hour === hour).map(cell => cell.events)),
  )
  return {
    project: request.project,
    period: periodOf(request),
    heatmap: cells,
    peak: cells.find(cell => cell.events === most) ?? null,
    busiest_day: cells.length === 0 ? null : names[daySums.indexOf(Math.max(...daySums))],
    busiest_hour: cells.length === 0 ? null : hourSums.indexOf(Math.max(...hourSums)),
  }
}

/** `days`: the N of the label. */
export function oracleInsights(
  events: readonly SentEvent[],
  { project, now, tz }: Omit<OracleRequest, 'since'>,
  days: number,
) {
  const today = localTime(now, tz).date
  const current = { from: shiftDate(today, 1 - days), to: today }
  const previous = { from: shiftDate(today, 1 - 2 * days), to: shiftDate(today, -days) }
  const request = { project, now, tz, since: `${2 * days - 1}d` }
  const isIn = (ms: number, { from, to }: { from: string; to: string }) => {
    const { date } = localTime(ms, tz)
    return date >= from && date <= to
  }
  const until = eventsOf(events, request).filter(event => localTime(event.timestamp, tz).date <= today)
  const sessions = oracleSessionList(until, request)
  const totals = (period: { from: string; to: string }) => {
    const own = until.filter(event => isIn(event.timestamp, period))
    const of = sessions.filter(session => isIn(session.start, period))
    return {
      total_events: own.length,
      unique_users: countUsers(own),
      total_sessions: of.length,
      bounce_rate: ratioOf(of.filter(session => session.isBounce).length, of.length, 3),
      avg_duration: ratioOf(sum(of.map(session => session.end - session.start)), of.length, 0),
    }
  }
  const [now_, before] = [totals(current), totals(previous)]
  const metrics = Object.fromEntries(
    (Object.keys(now_) as (keyof typeof now_)[]).map(key => {
      const change = round(now_[key] - before[key], 3)
      const pct = before[key] === 0 ? (now_[key] > 0 ? null : 0) : round((change / before[key]) * 100, 0)
      return [key, { current: now_[key], previous: before[key], change, change_pct: pct }]
    }),
  )
  const first = Math.min(...eventsOf(events, request).map(event => event.timestamp))
  const isWhole = Number.isFinite(first) && localTime(first, tz).date <= previous.from
  const pct = isWhole ? (metrics.total_events?.change_pct ?? null) : 0
  return {
    project,
    current_period: { ...current, days, running: true },
    previous_period: { ...previous, days },
    metrics,
    trend: pct === null || pct > 10 ? 'growing' : pct < -10 ? 'declining' : 'stable',
  }
}
