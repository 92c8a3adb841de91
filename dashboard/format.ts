/** Numbers and times as the reader writes them. */

export type Format = 'count' | 'rate' | 'duration' | 'percent' | 'text'

const compactFrom = 100_000

const counts = new Intl.NumberFormat()
const compacts = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const rates = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const changes = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
})

/** A number of an answer; null where it has none. */
export function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/** A value in full. Nothing: an en dash. */
export function formatted(value: number | null | undefined, as: Format = 'count'): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–'
  if (as === 'rate') return rates.format(value)
  if (as === 'percent') return rates.format(value / 100)
  if (as === 'duration') return duration(value)
  return counts.format(value)
}

/** A value where there is little room: `1.2M`. */
export function shortened(value: number, as: Format = 'count'): string {
  return as === 'count' && Math.abs(value) >= 10_000 ? compacts.format(value) : formatted(value, as)
}

/** A headline number: in full below 100,000. */
export function headline(value: number | null | undefined, as: Format = 'count'): string {
  if (as !== 'count' || value === null || value === undefined || Math.abs(value) < compactFrom)
    return formatted(value, as)
  return compacts.format(value)
}

/** A change as a part of what was before; null: nothing was before. */
export function changeOf(value: number, before: number | null | undefined): number | null {
  return before ? (value - before) / before : null
}

/** Above it a change says only that little was before. */
const MAX_CHANGE = 9.99

export function formattedChange(change: number): string {
  return change > MAX_CHANGE ? `over ${formatted(Math.round(MAX_CHANGE))} times` : changes.format(change)
}

/** ms as `3m 12s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`
}

/** What a chart counts durations in, so that its axis has round numbers: seconds or minutes. */
export function durationUnit(longest: number): { ms: number; label: 's' | 'm' } {
  return longest < 120_000 ? { ms: 1_000, label: 's' } : { ms: 60_000, label: 'm' }
}

/** A bucket of a series: a date, an hour `2026-11-23T15:00`, or a month `2026-11`. */
export function bucketLabel(bucket: string, length: 'short' | 'long' = 'short'): string {
  const [, date = '', hour] = /^(\d{4}-\d{2}-\d{2})T(\d{2}):\d{2}$/.exec(bucket) ?? []
  if (hour !== undefined) {
    const time = hourLabel(Number.parseInt(hour, 10))
    return length === 'short' ? time : `${dateLabel(date, 'long')}, ${time}`
  }
  if (bucket.length === 7) {
    const options = { month: 'short', year: 'numeric', timeZone: 'UTC' } as const
    return new Intl.DateTimeFormat(undefined, options).format(new Date(`${bucket}-01T00:00Z`))
  }
  return dateLabel(bucket, length)
}

const shortDates = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const longDates = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

export function dateLabel(date: string, length: 'short' | 'long' = 'short'): string {
  const time = Date.parse(`${date}T00:00Z`)
  if (Number.isNaN(time)) return date
  return (length === 'short' ? shortDates : longDates).format(time)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** A formatter for each zone and form: making one takes a millisecond. A reader uses one or two zones. */
function clockOf(zone: string, form: 'short' | 'long' | 'date'): Intl.DateTimeFormat {
  const key = `${zone} ${form}`
  const options: Intl.DateTimeFormatOptions =
    form === 'date'
      ? { year: 'numeric', month: '2-digit', day: '2-digit' }
      : { hour: '2-digit', minute: '2-digit', ...(form === 'long' && { second: '2-digit' }) }
  let clock = clocks.get(key)
  if (clock === undefined) {
    if (clocks.size >= MAX_CLOCKS) clocks.clear()
    clock = new Intl.DateTimeFormat(form === 'date' ? 'en-CA' : undefined, { ...options, timeZone: zone })
    clocks.set(key, clock)
  }
  return clock
}

const MAX_CLOCKS = 30

/** The time of day of a moment (Unix ms), with seconds when `long`. */
export function timeLabel(at: number, zone: string, length: 'short' | 'long' = 'short'): string {
  return clockOf(zone, length).format(at)
}

/** The date of a moment in a zone: `2026-11-23`. */
export function dateOf(at: number, zone: string): string {
  return clockOf(zone, 'date').format(at)
}

/** `3 Nov – 9 Nov`, with the year where the dates are not all of this one. */
export function datesLabel(from: string, to: string, now = Date.now()): string {
  const year = new Date(now).toISOString().slice(0, 4)
  const label = from.startsWith(year) && to.startsWith(year) ? dateLabel : yearlyLabel
  return from === to ? label(from) : `${label(from)} – ${label(to)}`
}

const yearlyDates = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `1 Nov 2026 – 30 Nov 2026`. */
export function fullDatesLabel(from: string, to: string): string {
  return from === to ? yearlyLabel(from) : `${yearlyLabel(from)} – ${yearlyLabel(to)}`
}

function yearlyLabel(date: string): string {
  const time = Date.parse(`${date}T00:00Z`)
  return Number.isNaN(time) ? date : yearlyDates.format(time)
}

/** A moment in a zone, to the minute: `23 Nov, 14:05`, with the year where it is not this one. */
export function momentLabel(at: number, zone: string, now = Date.now()): string {
  const isOfOtherYear = dateOf(at, zone).slice(0, 4) !== dateOf(now, zone).slice(0, 4)
  const parts = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  const options = { ...parts, ...(isOfOtherYear && { year: 'numeric' as const }), timeZone: zone }
  return new Intl.DateTimeFormat(undefined, options).format(at)
}

/** A weekday by its number, from 0 for Sunday. */
export function weekdayLabel(day: number, length: 'short' | 'long' = 'long'): string {
  // 1970-01-04 was a Sunday.
  return new Intl.DateTimeFormat(undefined, { weekday: length, timeZone: 'UTC' }).format(
    (day + 3) * 86_400_000,
  )
}

/** An hour of a day: `14:00`, or `2 PM`. */
export function hourLabel(hour: number): string {
  return new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: 'UTC' }).format(hour * 3_600_000)
}

/** How long ago a moment was: `2 minutes ago`. */
export function agoLabel(at: number, now = Date.now()): string {
  const seconds = Math.round((at - now) / 1_000)
  const steps: [number, Intl.RelativeTimeFormatUnit][] = [
    [60, 'second'],
    [3_600, 'minute'],
    [86_400, 'hour'],
    [Number.POSITIVE_INFINITY, 'day'],
  ]
  const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
  let unit = 1
  for (const [limit, name] of steps) {
    if (Math.abs(seconds) < limit) return words.format(Math.trunc(seconds / unit), name)
    unit = limit
  }
  return ''
}

let countries: Intl.DisplayNames | undefined

/** The name of a country by its code; the code itself where it is none. */
export function countryName(code: string | null): string {
  if (code === null || code === '') return 'Unknown'
  countries ??= new Intl.DisplayNames(undefined, { type: 'region' })
  try {
    return countries.of(code) ?? code
  } catch {
    return code
  }
}
