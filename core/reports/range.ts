import { ApiError } from '#core/errors'
import { EVENT_LIMITS } from '#schemas/event'

const DAY_MS = 86_400_000
const FORMS = 'since takes Nd (0d to 3650d, e.g. 7d) or an ISO 8601 date or date-time (e.g. 2026-11-01)'

/** from <= timestamp < to, Unix ms. */
export type Range = { from: number; to: number }

export type RangeQuery = {
  since?: string | undefined
  days?: number | undefined
  /** Buckets of an hour: the lower bound of `Nd` is exactly now - N * 24 h (U36). */
  hourly?: boolean
}

/**
 * What `since`, else its alias `days`, else the endpoint's default means at `now` (R10). `Nd` is the UTC date N days
 * before today, an ISO date or date-time its UTC date, inclusive; a date-time without an offset is UTC. The upper
 * bound is now and the 5 minutes that a timestamp may lie ahead. Throws INVALID_SINCE.
 */
export function range(query: RangeQuery, now: number, defaultDays: number): Range {
  const to = now + EVENT_LIMITS.futureMs + 1
  const today = midnight(now)
  const days = query.since === undefined ? (query.days ?? defaultDays) : daysOf(query.since)
  if (days !== null) {
    // 0d means today: taken to the hour it would mean nothing at all.
    const exact = query.hourly === true && days > 0
    return { from: exact ? now - days * DAY_MS : today - days * DAY_MS, to }
  }
  const from = midnight(parseIso(query.since as string))
  if (from > today) throw new ApiError('INVALID_SINCE', `since lies in the future; ${FORMS}`)
  return { from, to }
}

/** YYYY-MM-DD of Unix ms, in UTC. */
export function utcDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function daysOf(since: string): number | null {
  const match = /^(\d{1,4})d$/.exec(since)
  if (match === null) return null
  const days = Number(match[1])
  if (days > 3650) throw invalid()
  return days
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

function parseIso(since: string): number {
  const match = ISO.exec(since)
  if (match === null) throw invalid()
  const [, day = '', time = '00:00', offset = 'Z'] = match
  const start = Date.parse(`${day}T00:00Z`)
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(start) || utcDate(start) !== day) throw invalid()
  const ms = Date.parse(`${day}T${time}${offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`)
  if (Number.isNaN(ms)) throw invalid()
  return ms
}

function invalid(): ApiError {
  return new ApiError('INVALID_SINCE', FORMS)
}

function midnight(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}
