import { ApiError } from '#core/errors'
import { DAY_MS, type Range } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { type PERIOD_LABELS, parseSince, SINCE_FORMS, type Since } from '#schemas/fields'
import { addDays, type Zone } from './zone.ts'

/** The parameters of a request that set its range. */
export type RangeParams = {
  since?: string | undefined
  days?: number | undefined
}

/** What turns the parameters of a request into its range. */
export type RangeContext = {
  /** Unix ms. */
  now: number
  zone: Zone
}

/**
 * The range of a report (R10). It begins at `since`, else at its alias `days`, else at the default of the report. `Nd`
 * is the date N days before today. A date or date-time is its date, inclusive. Dates are of the zone. The range ends five
 * minutes after now, because a timestamp may be that far ahead. Throws INVALID_SINCE.
 * `isHourly`: whether the intervals are hours. Then `Nd` begins exactly N * 24 hours before now (U36).
 */
export function toRange(
  { since, days }: RangeParams,
  { now, zone }: RangeContext,
  { defaultDays, isHourly = false }: { defaultDays: number; isHourly?: boolean },
): Range {
  const to = now + EVENT_LIMITS.futureMs + 1
  const today = zone.dateOf(now)
  const start = since === undefined ? { days: days ?? defaultDays } : toSince(since)
  if ('days' in start) {
    // `0d` is today since midnight: exactly 0 hours before now would be an empty range.
    const isExact = isHourly && start.days > 0
    return { from: isExact ? now - start.days * DAY_MS : zone.startOf(addDays(today, -start.days)), to }
  }
  const date = 'date' in start ? start.date : zone.dateOf(start.at)
  if (date > today)
    throw new ApiError(
      'INVALID_SINCE',
      'Parameter `since` is in the future. Use a number of days such as `7d`, or a past date such as `2026-11-01`.',
    )
  return { from: zone.startOf(date), to }
}

/** The two periods of a label (R12): the N dates that end today, and the N dates before them. */
export type LabelledPeriods = {
  current: { from: string; to: string }
  previous: { from: string; to: string }
  /** Where the current period begins, Unix ms. */
  currentFrom: number
  /** Both periods together. */
  range: Range
}

export function toLabelledPeriods(
  period: (typeof PERIOD_LABELS)[number],
  { now, zone }: RangeContext,
): LabelledPeriods {
  const days = Number.parseInt(period, 10)
  const today = zone.dateOf(now)
  const current = { from: addDays(today, 1 - days), to: today }
  const previous = { from: addDays(today, 1 - 2 * days), to: addDays(today, -days) }
  const end = Math.min(now + EVENT_LIMITS.futureMs + 1, zone.startOf(addDays(today, 1)))
  return {
    current,
    previous,
    currentFrom: zone.startOf(current.from),
    range: { from: zone.startOf(previous.from), to: end },
  }
}

function toSince(text: string): Since {
  const since = parseSince(text)
  if (since === null) throw new ApiError('INVALID_SINCE', SINCE_FORMS)
  return since
}
