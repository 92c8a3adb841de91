import { zoneOfProject } from './project-zones.ts'
import { type Address, type Comparison, DAY_LABELS, type DatePair, type Range } from './url.ts'

/** Dates of the ranges. A date is text such as `2026-11-23`, in the zone of the address. */

type Place = Pick<Address, 'area' | 'project'>

/** The zone whose dates the address means. A share link has that of its project alone. */
export function zoneOf({ tz, ...place }: Place & Pick<Address, 'tz'>): string {
  return place.area === 'share' || tz === null ? usualZone(place) : tz
}

/** The zone of an address that names none: the one of its project, else the one of the reader. */
export function usualZone(place: Place): string {
  return zoneOfProject(place) ?? (place.area === 'share' ? 'UTC' : readerZone())
}

export function readerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

/** Every zone that this browser knows, UTC first. */
export function allZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter(zone => zone !== 'UTC')]
}

/** Today's date in a zone. */
export function today(zone: string, now = Date.now()): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return parts.format(now)
}

/** The hour in a zone, 0 to 23. */
export function hourNow(zone: string): number {
  return Number(
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' }).format(
      Date.now(),
    ),
  )
}

export function addDays(date: string, days: number): string {
  const time = Date.parse(`${date}T00:00Z`) + days * 86_400_000
  return new Date(time).toISOString().slice(0, 10)
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / 86_400_000)
}

/** The number of dates of a label of days, such as `7d`; undefined for a range of the calendar. */
function labelDays(label: string): number | undefined {
  return DAY_LABELS.some(each => each === label) ? Number.parseInt(label, 10) : undefined
}

export type Dates = DatePair & { /** It ends now. */ isOpen: boolean; days: number }

/** First and last date of a range, both inclusive. */
export function datesOf(range: Range, zone: string, now = Date.now()): Dates {
  const last = today(zone, now)
  const { from, to } = 'label' in range ? labelDates(range.label, last) : range
  return { from, to, isOpen: to >= last, days: daysBetween(from, to) + 1 }
}

/** First and last date of a label. `last`: today. */
function labelDates(label: string, last: string): DatePair {
  const days = labelDays(label)
  if (days !== undefined) return { from: addDays(last, 1 - days), to: last }
  const yesterday = addDays(last, -1)
  if (label === 'yesterday') return { from: yesterday, to: yesterday }
  const first = firstOfMonth(last)
  if (label === 'this_month') return { from: first, to: last }
  const end = addDays(first, -1)
  return { from: firstOfMonth(end), to: end }
}

function firstOfMonth(date: string): string {
  return `${date.slice(0, 7)}-01`
}

/** The dates that a range is compared with; null without a comparison. */
export function comparedDates({ from, to, days }: Dates, comparison: Comparison): DatePair | null {
  if (typeof comparison === 'object') return comparison
  if (comparison === 'none') return null
  if (comparison === 'year') return { from: yearBefore(from), to: yearBefore(to) }
  // Whole weeks back, so that each date is compared with one of its own weekday.
  const back = comparison === 'weekdays' ? Math.ceil(days / 7) * 7 : days
  return { from: addDays(from, -back), to: addDays(to, -back) }
}

function yearBefore(date: string): string {
  const [year, month, day] = date.split('-')
  const before = `${Number(year) - 1}-${month}-`
  return month === '02' && day === '29' ? `${before}28` : `${before}${day}`
}

export type Interval = 'hour' | 'day' | 'week' | 'month'

/** The interval of a series that shows most without crowding. */
export function intervalOf({ days }: Pick<Dates, 'days'>): Interval {
  if (days <= 2) return 'hour'
  if (days <= 92) return 'day'
  return 'week'
}

/** The first day of the week (Monday) of a date. */
export function weekOf(date: string): string {
  const weekday = (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7
  return addDays(date, -weekday)
}

/** Every interval from the first to the last date, also those without events. */
export function bucketsOf(from: string, to: string, interval: Interval): string[] {
  const buckets: string[] = []
  for (let date = from; date <= to; date = addDays(date, 1)) {
    if (interval === 'hour') for (let hour = 0; hour < 24; hour++) buckets.push(`${date}T${pad(hour)}:00`)
    else if (interval === 'day') buckets.push(date)
    else {
      const bucket = interval === 'week' ? weekOf(date) : date.slice(0, 7)
      if (buckets.at(-1) !== bucket) buckets.push(bucket)
    }
  }
  return buckets
}

function pad(hour: number): string {
  return String(hour).padStart(2, '0')
}

/** The parameter `since` of a range that begins at `from`. */
export function sinceOf(range: Range, from: string): string {
  const days = 'label' in range ? labelDays(range.label) : undefined
  return days === undefined ? from : `${days - 1}d`
}

/** The periods of the reads that know no dates: those of bots, and of all sites together. */
export const PERIODS = ['1d', '7d', '14d', '30d', '90d'] as const

/** The parameter `period` of the reads that know no dates: the shortest one that holds the range. */
export function periodOf(range: Range, zone: string, now = Date.now()): (typeof PERIODS)[number] {
  const days = daysBetween(datesOf(range, zone, now).from, today(zone, now)) + 1
  return PERIODS.find(each => (labelDays(each) ?? 0) >= days) ?? '90d'
}
