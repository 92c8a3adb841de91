import { zoneOfProject } from './project-zones.ts'
import type { Address, Comparison, Range } from './url.ts'

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

export function addDays(date: string, days: number): string {
  const time = Date.parse(`${date}T00:00Z`) + days * 86_400_000
  return new Date(time).toISOString().slice(0, 10)
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / 86_400_000)
}

/** The number of dates of a label. */
export function labelDays(label: string): number {
  return Number.parseInt(label, 10)
}

export type Dates = { from: string; to: string /** It ends now. */; isOpen: boolean; days: number }

/** First and last date of a range, both inclusive. */
export function datesOf(range: Range, zone: string, now = Date.now()): Dates {
  const last = today(zone, now)
  if ('label' in range) {
    const days = labelDays(range.label)
    return { from: addDays(last, 1 - days), to: last, isOpen: true, days }
  }
  return { ...range, isOpen: range.to >= last, days: daysBetween(range.from, range.to) + 1 }
}

/** The dates that a range is compared with; null without a comparison. */
export function comparedDates(
  { from, to, days }: Dates,
  comparison: Comparison,
): { from: string; to: string } | null {
  if (comparison === 'none') return null
  if (comparison === 'previous') return { from: addDays(from, -days), to: addDays(from, -1) }
  return { from: yearBefore(from), to: yearBefore(to) }
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

/** The parameter `since` of the reads that begin at a date and end now. */
export function sinceOf(address: Pick<Address, 'range'>): string {
  const { range } = address
  return 'label' in range ? `${labelDays(range.label) - 1}d` : range.from
}

/** The periods of the reads that know no dates: those of bots, and of all sites together. */
export const PERIODS = ['1d', '7d', '14d', '30d', '90d'] as const

/** The parameter `period` of the reads that know no dates: the shortest one that holds the range. */
export function periodOf(range: Range, zone: string, now = Date.now()): (typeof PERIODS)[number] {
  const last = today(zone, now)
  const days = 'label' in range ? labelDays(range.label) : daysBetween(range.from, last) + 1
  return PERIODS.find(each => labelDays(each) >= days) ?? '90d'
}
