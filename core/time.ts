export const DAY_MS = 86_400_000
export const QUARTER_MS = 15 * 60_000

/** from <= timestamp < to, Unix ms. */
export type Range = { from: number; to: number }

/** Returns YYYY-MM-DD of Unix ms, in UTC. */
export function utcDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Returns the Unix ms at which the UTC day starts. */
export function midnight(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}

/** Returns the quarter of an hour in the UTC day of a time, 0 to 95. */
export function quarterOf(ms: number): number {
  return Math.floor((ms % DAY_MS) / QUARTER_MS)
}

/**
 * Unix ms of an ISO 8601 date or date-time, NaN for another text. A time without an offset is UTC, whatever
 * zone the machine has. Date reads 2026-02-30 as 2 March, which nobody meant, so it is NaN.
 */
export function parseIsoTime(text: string): number {
  const date = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0]
  const start = date === undefined ? 0 : Date.parse(date)
  if (Number.isNaN(start) || (date !== undefined && utcDate(start) !== date)) return Number.NaN
  return Date.parse(/T/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? `${text}Z` : text)
}

/** Unix ms of the first moment of the next UTC month. */
export function nextMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}
