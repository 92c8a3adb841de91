import { ApiError } from '#core/errors'
import { DAY_MS, type Range } from '#core/time'
import { EVENT_LIMITS } from '#schemas/event'
import { momentForms, type PERIOD_LABELS, parseSince, type RangeName, type Since } from '#schemas/fields'
import { addDays, type Zone } from './zone.ts'

/** The parameters of a request that set its range. `date_from` and `date_to` are other names (U76). */
export type RangeParams = { [Name in RangeName]?: string | undefined } & { days?: number | undefined }

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
  /** Whether the report counts from and to a time of day. Otherwise it counts whole dates. */
  takesTimes?: boolean
}

/** A parameter of the request: the name that it was sent by, and what it says. */
type Sent = { name: RangeName; moment: Since }

/**
 * The range of a report (docs/api/ranges.md). It begins at `since`, else at its alias `days`, else at the
 * default of the report (R10). `Nd` is the date N days before today. Dates are of the zone. The range ends
 * with the date `until`, or before the time `until`, else five minutes after now, because a timestamp may be
 * that far ahead. Throws INVALID_SINCE, and MISSING_FIELDS for an end before the start and for a parameter
 * that is there by both of its names.
 */
export function toRange(
  params: RangeParams,
  { now, zone }: RangeContext,
  { defaultDays, isHourly = false, takesTimes = false }: RangeDefaults,
): Range {
  const today = zone.dateOf(now)
  const since = sentMoment(params, ['since', 'date_from'])
  const until = sentMoment(params, ['until', 'date_to'])
  const to = rangeEnd(until, { now, zone }, takesTimes)
  const start = since?.moment ?? { days: params.days ?? defaultDays }
  if ('days' in start) {
    // `0d` is today since midnight: exactly 0 hours before now would be an empty range.
    const isExact = isHourly && start.days > 0
    return ordered(isExact ? now - start.days * DAY_MS : zone.startOf(addDays(today, -start.days)), to)
  }
  const { name = 'since' } = since ?? {}
  const time = timeWithin(start, zone)
  if (time !== null && !takesTimes) throw wholeDates(name)
  if (dateOf(start, { now, zone }) > today || (time !== null && time > now)) throw inFuture(name)
  return ordered(time ?? zone.startOf(dateOf(start, { now, zone })), to, { name, until: until?.name })
}

/** The end of all events that may be stored, Unix ms: a clock that is ahead may have dated them. */
export function endOfStored(now: number): number {
  return now + EVENT_LIMITS.futureMs + 1
}

/** The end of the date `until`, or the time `until`, or the end of all events that may be stored. */
function rangeEnd(until: Sent | null, { now, zone }: RangeContext, takesTimes: boolean): number {
  const latest = endOfStored(now)
  if (until === null) return latest
  const time = timeWithin(until.moment, zone)
  if (time !== null && !takesTimes) throw wholeDates(until.name)
  if (time !== null) return Math.min(time, latest)
  const lastDate = dateBefore(until, { now, zone })
  return lastDate >= zone.dateOf(latest) ? latest : zone.startOf(addDays(lastDate, 1))
}

/** The date that ends the range. A time at midnight ends the date before it. */
function dateBefore({ moment }: Sent, context: RangeContext): string {
  const date = dateOf(moment, context)
  const isTime = 'at' in moment || ('date' in moment && moment.time !== undefined)
  return isTime ? addDays(date, -1) : date
}

function ordered(
  from: number,
  to: number,
  { name = 'since', until = 'until' }: { name?: RangeName; until?: RangeName | undefined } = {},
): Range {
  if (from < to) return { from, to }
  throw new ApiError('MISSING_FIELDS', `Parameter \`${until}\` is before \`${name}\`. Send them in order.`)
}

/** The date of the zone that holds a moment. */
export function dateOf(moment: Since, { now, zone }: RangeContext): string {
  if ('days' in moment) return addDays(zone.dateOf(now), -moment.days)
  return 'date' in moment ? moment.date : zone.dateOf(moment.at)
}

/** A time of day, Unix ms; null for a date, and for a time that is the start of a date. */
function timeWithin(moment: Since, zone: Zone): number | null {
  if ('days' in moment || ('date' in moment && moment.time === undefined)) return null
  const at = 'at' in moment ? moment.at : zone.momentOn(moment.date, moment.time ?? 0)
  return at === zone.startOf(zone.dateOf(at)) ? null : at
}

/**
 * The dates of a range, both inclusive and today at most, and whether it begins and ends within one. A range
 * that ends as it begins has no events; its date is the one on which it would begin.
 */
export function datesOf({ range, now, zone }: RangeContext & { range: Range }) {
  const last = Math.max(range.from, Math.min(range.to - 1, now))
  const [from, to] = [zone.dateOf(range.from), zone.dateOf(last)]
  return {
    from,
    to,
    beginsWithin: range.from !== zone.startOf(from),
    endsWithin: range.to <= now && range.to !== zone.startOf(addDays(to, 1)),
  }
}

/** The two periods of a label (R12): the N dates that end today, and the N dates before them. */
export type LabelledPeriods = {
  current: { from: string; to: string; days: number; running: true }
  previous: { from: string; to: string; days: number }
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
  const current = { from: addDays(today, 1 - days), to: today, days, running: true as const }
  const previous = { from: addDays(today, 1 - 2 * days), to: addDays(today, -days), days }
  const end = Math.min(endOfStored(now), zone.startOf(addDays(today, 1)))
  return {
    current,
    previous,
    currentFrom: zone.startOf(current.from),
    range: { from: zone.startOf(previous.from), to: end },
  }
}

/** What the request says by one of the two names of a parameter; null if it says nothing. */
function sentMoment(params: RangeParams, [name, other]: readonly [RangeName, RangeName]): Sent | null {
  const [text, sameByOther] = [params[name], params[other]]
  if (text !== undefined && sameByOther !== undefined)
    throw new ApiError(
      'MISSING_FIELDS',
      `Parameter \`${other}\` is another name of \`${name}\`. Send one of them.`,
    )
  const sent = text === undefined ? other : name
  const value = text ?? sameByOther
  if (value === undefined) return null
  const moment = parseSince(value)
  if (moment === null) throw new ApiError('INVALID_SINCE', momentForms(sent))
  return { name: sent, moment }
}

function wholeDates(name: RangeName): ApiError {
  return new ApiError(
    'INVALID_SINCE',
    `This request counts whole dates, and \`${name}\` has a time of day. Send a date such as \`2026-11-01\`, or use POST /query, which counts from and to a time.`,
  )
}

function inFuture(name: RangeName): ApiError {
  return new ApiError(
    'INVALID_SINCE',
    `The date of \`${name}\` is in the future. Use a number of days such as \`7d\`, or a past date such as \`2026-11-01\`.`,
  )
}
