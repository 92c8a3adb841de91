import type { SentEvent } from './sent-event.ts'
import type { TraitsOf } from './traits.ts'

/**
 * What every oracle of a report shares. Its source is docs/api, not the SQL. Everything is computed naively.
 */

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** `since` and `until` are `Nd`. `traitsOf`: what is known of people; without it they have no traits. */
export type OracleRequest = {
  project: string
  since: string
  until?: string
  now: number
  tz: string
  traitsOf?: TraitsOf
}

/** The project's events up to five minutes after now. */
export function eventsOf(events: readonly SentEvent[], { project, now }: OracleRequest): SentEvent[] {
  return events.filter(event => event.project_id === project && event.timestamp <= now + HOUR / 12)
}

const formats = new Map<string, Intl.DateTimeFormat>()

type LocalTime = { date: string; weekday: number; hour: number }
/** By zone and quarter of an hour. No zone has a finer offset since 1972, when Liberia gave up its own. */
const known = new Map<string, LocalTime>()
const FINER_UNTIL = Date.UTC(1973)

/** Local date, weekday (0 is Sunday) and hour of a time, as the Intl library writes them. */
export function localTime(ms: number, tz: string): LocalTime {
  if (ms < FINER_UNTIL) return formatTime(ms, tz)
  const key = `${tz} ${Math.floor((4 * ms) / HOUR)}`
  const time = known.get(key) ?? formatTime(ms, tz)
  known.set(key, time)
  return time
}

function formatTime(ms: number, tz: string): LocalTime {
  let format = formats.get(tz)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: tz,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      hourCycle: 'h23',
    })
    formats.set(tz, format)
  }
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  const date = `${parts.year}-${parts.month}-${parts.day}`
  return { date, weekday: new Date(`${date}T12:00:00Z`).getUTCDay(), hour: Number(parts.hour) }
}

/** The date some days before or after a date. */
export function shiftDate(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)
}

/** The first moment of a local date, to the quarter of an hour: no zone has a finer offset today. */
export function startOfDate(date: string, tz: string): number {
  let start = Date.parse(date) - DAY
  while (localTime(start, tz).date < date) start += DAY / 96
  return start
}

/** The first date of the range of `Nd`. */
export function firstDate({ since, now, tz }: OracleRequest): string {
  return shiftDate(localTime(now, tz).date, -Number.parseInt(since, 10))
}

/**
 * Whether a time is in the range of the request: its local date is the first date or a later one, up to
 * `until`.
 */
export function isInRange(ms: number, request: OracleRequest): boolean {
  const { date } = localTime(ms, request.tz)
  const { now, until } = request
  return (
    date >= firstDate(request) &&
    (until === undefined || date <= firstDate({ ...request, since: until, now }))
  )
}

/**
 * Until when the events of the sessions of a range are: two days after its last date, whose end is the UTC
 * midnight (docs/api/ranges.md).
 */
export function sessionsEnd(request: OracleRequest): number {
  const { until, tz } = request
  if (until === undefined) return Number.POSITIVE_INFINITY
  const end = startOfDate(shiftDate(firstDate({ ...request, since: until }), 1), tz)
  return Math.ceil(end / DAY) * DAY + 2 * DAY
}

/** The dates from one to another, both counted. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY + 1
}

/** The dates of a response. */
export function periodOf(request: OracleRequest) {
  const { tz, now, until } = request
  const to = until === undefined ? localTime(now, tz).date : firstDate({ ...request, since: until })
  const from = firstDate(request)
  const isRunning = to >= localTime(now, tz).date
  return { from, to, days: daysBetween(from, to), ...(isRunning && { running: true as const }), tz }
}

/**
 * From when on a report searches the events of its sessions: 35 days before the UTC date on which the range
 * begins.
 */
export function searchStart(request: OracleRequest): number {
  return Math.floor(startOfDate(firstDate(request), request.tz) / DAY) * DAY - 35 * DAY
}

export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Order of events: by timestamp, then by arrival. */
export function byPosition(a: SentEvent, b: SentEvent): number {
  return a.timestamp - b.timestamp || arrival(a) - arrival(b) || a.seq - b.seq
}

/** Whole seconds from timestamp to arrival, which order events of one timestamp. */
function arrival({ received_at, timestamp }: SentEvent): number {
  return Math.floor(received_at / 1000) - Math.floor(timestamp / 1000)
}

/** value rounded to decimals, halves up. Exact for the numbers of small histories. */
export function round(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.floor(value * scale + 0.5 + 1e-9) / scale
}

export function ratioOf(numerator: number, denominator: number, decimals: number): number {
  return denominator === 0 ? 0 : round(numerator / denominator, decimals)
}

export function countUsers(events: readonly SentEvent[]): number {
  return new Set(events.map(event => event.user_id).filter(user => user !== null)).size
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
