import type { SqlQuery } from '#core/ports'
import { join, sql, timestamp, trustedSql } from '#core/sql/sql'
import { DAY_MS, type Range, utcDate } from '#core/time'

/** A time zone as reports use it: dates, midnights, and local times in SQL. All times are Unix ms. */
export type Zone = {
  /** IANA name. */
  name: string
  isUtc: boolean
  /** The local date of a time, YYYY-MM-DD. */
  dateOf(ms: number): string
  /** The first moment of a local date. */
  startOf(date: string): number
  /**
   * The moment at which clocks show a time of a date, which is in ms after its midnight. Where clocks skip
   * that time, an hour later.
   */
  momentOn(date: string, time: number): number
  /** The moment at which clocks show on a date what they show at `ms`. */
  sameTimeOn(date: string, ms: number): number
  /** The local time of the column `timestamp`, as an SQL timestamp, for events of the range. */
  localTimestamp(range: Range): SqlQuery
}

/** The zone of an IANA name. Throws RangeError for other names. */
export function createZone(name: string): Zone {
  if (name === 'UTC') return UTC
  const offsetAt = createOffsetReader(name)
  const dateOf = (ms: number) => utcDate(ms + offsetAt(ms))
  return {
    name,
    isUtc: false,
    dateOf,
    startOf: date => startOfDate(date, offsetAt),
    momentOn: (date, time) => momentOn(date, time, offsetAt),
    sameTimeOn: (date, ms) => momentOn(date, (ms + offsetAt(ms)) % DAY_MS, offsetAt),
    localTimestamp: range => localTimestamp(offsetsWithin(range, offsetAt)),
  }
}

const UTC: Zone = {
  name: 'UTC',
  isUtc: true,
  dateOf: utcDate,
  startOf: date => Date.parse(date),
  momentOn: (date, time) => Date.parse(date) + time,
  sameTimeOn: (date, ms) => Date.parse(date) + (ms % DAY_MS),
  localTimestamp: () => sql`timestamp`,
}

/**
 * The zone, which looks for changes of its offset from `oldest` on only, Unix ms: there are no events before.
 * From the year 1 on it would read 740,000 offsets.
 */
export function withoutEmptyPast(zone: Zone, oldest: number): Zone {
  const localTimestamp: Zone['localTimestamp'] = ({ from, to }) =>
    zone.localTimestamp({ from: Math.max(from, oldest), to: Math.max(to, oldest) })
  return { ...zone, localTimestamp }
}

/** The date `days` after a date; before it if negative. */
export function addDays(date: string, days: number): string {
  return utcDate(Date.parse(date) + days * DAY_MS)
}

/** How many dates there are from one to another, both counted. */
export function countDates(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
}

type OffsetReader = (ms: number) => number

/** Reads the offset of a zone from UTC, ms, from the time zone data of the JavaScript engine. */
function createOffsetReader(timeZone: string): OffsetReader {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return ms => {
    const text = format.formatToParts(ms).find(part => part.type === 'timeZoneName')?.value ?? 'GMT'
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text) ?? []
    const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000
    return sign === '-' ? -size : size
  }
}

/**
 * The first moment of a local date. Where a change of the offset skips midnight, the date begins at the
 * change; where midnight comes twice, at the first one.
 */
function startOfDate(date: string, offsetAt: OffsetReader): number {
  const utcMidnight = Date.parse(date)
  const [before, after] = [offsetAt(utcMidnight - DAY_MS), offsetAt(utcMidnight + DAY_MS)]
  if (before === after) return utcMidnight - before
  const change = findChange(utcMidnight - DAY_MS, utcMidnight + DAY_MS, offsetAt)
  if (utcMidnight - before < change) return utcMidnight - before
  return Math.max(change, utcMidnight - after)
}

function momentOn(date: string, time: number, offsetAt: OffsetReader): number {
  const wanted = Date.parse(date) + time
  // The offset before a change of that day, then the one at the time itself.
  const before = wanted - offsetAt(wanted - DAY_MS)
  return offsetAt(before) === offsetAt(wanted - DAY_MS) ? before : wanted - offsetAt(before)
}

/**
 * The first moment in (from, to] whose offset is not that of `from`, when the offset changes once between
 * them.
 */
function findChange(from: number, to: number, offsetAt: OffsetReader): number {
  const offset = offsetAt(from)
  let [same, other] = [from, to]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (offsetAt(middle) === offset) same = middle
    else other = middle
  }
  return other
}

type OffsetPeriod = { until: number; offset: number }

/** The offsets that hold in a range, in order. No zone changes its offset twice in a day. */
function offsetsWithin({ from, to }: Range, offsetAt: OffsetReader): OffsetPeriod[] {
  const periods: OffsetPeriod[] = []
  let offset = offsetAt(from)
  for (let at = from; at < to; ) {
    const next = Math.min(at + DAY_MS, to)
    const nextOffset = offsetAt(next)
    if (nextOffset !== offset) periods.push({ until: findChange(at, next, offsetAt), offset })
    offset = nextOffset
    at = next
  }
  return [...periods, { until: to, offset }]
}

/** Literal offsets instead of zone names: both engines compute the same with them, and need no zone data. */
function localTimestamp(periods: readonly OffsetPeriod[]): SqlQuery {
  const cases = periods
    .slice(0, -1)
    .map(({ until, offset }) => sql`WHEN timestamp < ${timestamp(until)} THEN ${shifted(offset)}`)
  const last = shifted(periods.at(-1)?.offset ?? 0)
  return cases.length === 0 ? last : sql`CASE ${join(cases, ' ')} ELSE ${last} END`
}

function shifted(offset: number): SqlQuery {
  const operator = offset < 0 ? '-' : '+'
  return trustedSql(`(timestamp ${operator} INTERVAL '${Math.abs(offset) / 1_000}' SECOND)`)
}
