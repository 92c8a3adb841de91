import { ApiError } from '#core/errors'
import { DAY_MS, midnight } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { parseSince, SINCE_FORMS, type Since } from '#schemas/fields'

/** from <= timestamp < to, Unix ms. */
export type Range = { from: number; to: number }

/** The parameters of a request that set its range. */
export type RangeParams = {
  since?: string | undefined
  days?: number | undefined
}

export type RangeOptions = {
  /** Unix ms. */
  now: number
  defaultDays: number
  /** Whether the intervals are hours. Then `Nd` begins exactly N * 24 hours before now (U36). */
  isHourly?: boolean
}

/**
 * The range of a report (R10). It begins at `since`, else at its alias `days`, else at the default of the report. `Nd`
 * is the UTC date N days before today. A date or date-time is its UTC date, inclusive. The range ends five minutes after
 * now, because a timestamp may be that far ahead. Throws INVALID_SINCE.
 */
export function toRange({ since, days }: RangeParams, { now, defaultDays, isHourly }: RangeOptions): Range {
  const to = now + EVENT_LIMITS.futureMs + 1
  const today = midnight(now)
  const start = since === undefined ? { days: days ?? defaultDays } : toSince(since)
  if ('days' in start) {
    // `0d` is today since midnight: exactly 0 hours before now would be an empty range.
    const isExact = isHourly === true && start.days > 0
    return { from: (isExact ? now : today) - start.days * DAY_MS, to }
  }
  const from = midnight(start.at)
  if (from > today)
    throw new ApiError(
      'INVALID_SINCE',
      'Parameter `since` is in the future. Use a number of days such as `7d`, or a past date such as `2026-11-01`.',
    )
  return { from, to }
}

function toSince(text: string): Since {
  const since = parseSince(text)
  if (since === null) throw new ApiError('INVALID_SINCE', SINCE_FORMS)
  return since
}
