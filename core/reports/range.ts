import { ApiError } from '#core/errors'
import { DAY_MS, midnight } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { parseSince, SINCE_FORMS, type Since } from '#schemas/fields'

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
 * before today, an ISO date or date-time its UTC date, inclusive. The upper bound is now and the 5 minutes that a
 * timestamp may lie ahead. Throws INVALID_SINCE.
 */
export function range(query: RangeQuery, now: number, defaultDays: number): Range {
  const to = now + EVENT_LIMITS.futureMs + 1
  const today = midnight(now)
  const since = query.since === undefined ? { days: query.days ?? defaultDays } : sinceOf(query.since)
  if ('days' in since) {
    // 0d means today: taken to the hour it would mean nothing at all.
    const exact = query.hourly === true && since.days > 0
    return { from: (exact ? now : today) - since.days * DAY_MS, to }
  }
  const from = midnight(since.at)
  if (from > today) throw new ApiError('INVALID_SINCE', `since lies in the future; ${SINCE_FORMS}`)
  return { from, to }
}

function sinceOf(text: string): Since {
  const since = parseSince(text)
  if (since === null) throw new ApiError('INVALID_SINCE', SINCE_FORMS)
  return since
}
