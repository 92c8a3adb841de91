import { ApiError } from '#core/errors'
import { DAY_MS, type Range } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { momentForms, type PERIOD_LABELS, parseSince, type Since } from '#schemas/fields'
import { addDays, type Zone } from './zone.ts'

/** The parameters of a request that set its range. */
export type RangeParams = {
  since?: string | undefined
  days?: number | undefined
  until?: string | undefined
}

/** What turns the parameters of a request into its range. */
export type RangeContext = {
  /** Unix ms. */
  now: number
  zone: Zone
}

export type RangeDefaults = {
  defaultDays: number
  /** Whether the intervals are hours. Then `Nd` begins exactly N * 24 hours before now (U36). */
  isHourly?: boolean
  /** How the request calls `since`. */
  name?: string
}

/**
 * The range of a report (R10). It begins at `since`, else at its alias `days`, else at the default of the
 * report. `Nd` is the date N days before today. A date or date-time is its date, inclusive. Dates are of the
 * zone. The range ends with the date
 * `until` (U69), else five minutes after now, because a timestamp may be that far ahead. Throws
 * INVALID_SINCE, and MISSING_FIELDS for an end before the start.
 */
export function toRange(
  { since, days, until }: RangeParams,
  { now, zone }: RangeContext,
  { defaultDays, isHourly = false, name = 'since' }: RangeDefaults,
): Range {
  const today = zone.dateOf(now)
  const to = rangeEnd(until, { now, zone })
  const start = since === undefined ? { days: days ?? defaultDays } : toSince(since, 'since')
  if ('days' in start) {
    // `0d` is today since midnight: exactly 0 hours before now would be an empty range.
    const isExact = isHourly && start.days > 0
    return ordered(isExact ? now - start.days * DAY_MS : zone.startOf(addDays(today, -start.days)), to)
  }
  const date = dateOf(start, { now, zone })
  if (date > today)
    throw new ApiError(
      'INVALID_SINCE',
      `The date of \`${name}\` is in the future. Use a number of days such as \`7d\`, or a past date such as \`2026-11-01\`.`,
    )
  return ordered(zone.startOf(date), to)
}

/** The end of all events that may be stored, Unix ms: a clock that is ahead may have dated them. */
export function endOfStored(now: number): number {
  return now + EVENT_LIMITS.futureMs + 1
}

/** The end of the date `until`, or of all events that may be stored. */
function rangeEnd(until: string | undefined, { now, zone }: RangeContext): number {
  const latest = endOfStored(now)
  if (until === undefined) return latest
  const lastDate = dateOf(toSince(until, 'until'), { now, zone })
  return lastDate >= zone.dateOf(latest) ? latest : zone.startOf(addDays(lastDate, 1))
}

function ordered(from: number, to: number): Range {
  if (from < to) return { from, to }
  throw new ApiError('MISSING_FIELDS', 'Parameter `until` is before `since`. Send them in order.')
}

/** The date of the zone that `since` or `until` means. */
export function dateOf(moment: Since, { now, zone }: RangeContext): string {
  if ('days' in moment) return addDays(zone.dateOf(now), -moment.days)
  return 'date' in moment ? moment.date : zone.dateOf(moment.at)
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
  const end = Math.min(endOfStored(now), zone.startOf(addDays(today, 1)))
  return {
    current,
    previous,
    currentFrom: zone.startOf(current.from),
    range: { from: zone.startOf(previous.from), to: end },
  }
}

function toSince(text: string, name: 'since' | 'until'): Since {
  const since = parseSince(text)
  if (since === null) throw new ApiError('INVALID_SINCE', momentForms(name))
  return since
}
