import { ApiError } from '#core/errors'
import type { Range } from '#core/time'
import { type Comparison, parseComparison } from '#schemas/compare'
import type { DatedParams, RangeRule } from './asked-range.ts'
import { datesOf } from './range.ts'
import { addDays, countDates, type Zone } from './zone.ts'

/** The range that a request counts, and what a report knows of its dates. */
export type RangeToCompare<Params> = {
  params: Params
  range: Range
  now: number
  zone: Zone
  /** The compared range has whole dates, also if the range is still running. */
  isByWholeDates: boolean
}

/** `isCut`: its last date ends at the present time of day, because today is not over. */
export type ComparedRange = { range: Range; isCut: boolean }

/**
 * The range that `compare` asks for (U108); null without it. While the last date of the range is running, the
 * compared range ends at the same time of day (U61): else a day that has just begun would be compared with a
 * whole one. Throws MISSING_FIELDS for a range of its own that the report cannot count.
 */
export function comparedRange<Params extends DatedParams>(
  asked: RangeToCompare<Params>,
  rule: RangeRule<Params>,
): ComparedRange | null {
  const { compare } = asked.params
  const comparison = compare === undefined ? null : parseComparison(compare)
  if (comparison === null) return null
  if (comparison === 'previous') return rangeBefore(asked)
  if (comparison === 'year') return rangeOfYearBefore(asked)
  return ownRange(asked, comparison, rule)
}

/**
 * As many dates before those of the range. A range that begins or ends within a date has as many milliseconds
 * before it.
 */
function rangeBefore<Params>(asked: RangeToCompare<Params>): ComparedRange {
  const { range, now } = asked
  const { from, to, beginsWithin, endsWithin } = datesOf(asked)
  if (beginsWithin || endsWithin) {
    const length = Math.min(range.to, now) - range.from
    return { range: { from: range.from - length, to: range.from }, isCut: false }
  }
  const days = countDates(from, to)
  return wholeDates(asked, addDays(from, -days), addDays(from, -1))
}

function rangeOfYearBefore<Params>(asked: RangeToCompare<Params>): ComparedRange {
  const { range, zone } = asked
  const { from, to, beginsWithin, endsWithin } = datesOf(asked)
  const yearBefore = (ms: number) => zone.sameTimeOn(dateOfYearBefore(zone.dateOf(ms)), ms)
  const whole = wholeDates(asked, dateOfYearBefore(from), dateOfYearBefore(to))
  return {
    range: {
      from: beginsWithin ? yearBefore(range.from) : whole.range.from,
      to: endsWithin ? yearBefore(range.to) : whole.range.to,
    },
    isCut: !endsWithin && whole.isCut,
  }
}

/** 29 February has 28 February a year before. */
function dateOfYearBefore(date: string): string {
  const before = `${String(Number(date.slice(0, 4)) - 1).padStart(4, '0')}${date.slice(4)}`
  return before.endsWith('-02-29') ? before.replace(/29$/, '28') : before
}

function ownRange<Params extends DatedParams>(
  asked: RangeToCompare<Params>,
  { since, until }: Exclude<Comparison, string>,
  rule: RangeRule<Params>,
): ComparedRange {
  const { params, now, zone } = asked
  const none = { days: undefined, date_from: undefined, date_to: undefined }
  const range = rangeOf()
  const to = zone.dateOf(range.to - 1)
  const endsWithDate = range.to === zone.startOf(addDays(to, 1))
  return range.to > now || !endsWithDate || !isCutToday(asked)
    ? { range, isCut: false }
    : { range: { from: range.from, to: zone.sameTimeOn(to, now) }, isCut: true }

  function rangeOf(): Range {
    try {
      return rule({ ...params, ...none, since, until }, { now, zone })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw new ApiError(
        'MISSING_FIELDS',
        'Parameter `compare` is no range that this report can count. Send dates that are over or today, the first one first, such as `2026-10-01..2026-10-31`.',
      )
    }
  }
}

/** The dates from one to another, both inclusive, the last one until the time of day that it is now. */
function wholeDates<Params>(asked: RangeToCompare<Params>, from: string, to: string): ComparedRange {
  const { zone, now } = asked
  const isCut = isCutToday(asked)
  const end = isCut ? zone.sameTimeOn(to, now) : zone.startOf(addDays(to, 1))
  return { range: { from: zone.startOf(from), to: end }, isCut }
}

function isCutToday<Params>({ range, now, isByWholeDates }: RangeToCompare<Params>): boolean {
  return range.to > now && !isByWholeDates
}
