import { bucketLabel, dateLabel } from '#dashboard/format'
import { datesOf, daysBetween, weekOf, zoneOf } from '#dashboard/range'
import { type Address, ownValue } from '#dashboard/url'

/** What the address says about cohorts. */

export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

/** The read has no more cohorts of a period at once. */
const MOST_COHORTS: Record<Period, number> = { day: 30, week: 12, month: 12 }

export function periodOfCohorts(address: Pick<Address, 'own'>): Period {
  const asked = ownValue(address, 'period')
  return PERIODS.find(each => each === asked) ?? 'week'
}

/**
 * The cohorts of the chosen dates: whole days, weeks or months, so that no cohort lacks those who came first.
 * `isCut`: only the last ones, because the dates have more than the read shows.
 */
export function cohortsOf(address: Address, now = Date.now()): { count: number; isCut: boolean } {
  const period = periodOfCohorts(address)
  const { from, to } = datesOf(address.range, zoneOf(address), now)
  const count = 1 + PERIODS_BETWEEN[period](from, to)
  return { count: Math.min(count, MOST_COHORTS[period]), isCut: count > MOST_COHORTS[period] }
}

const PERIODS_BETWEEN: Record<Period, (from: string, to: string) => number> = {
  day: daysBetween,
  week: (from, to) => daysBetween(weekOf(from), weekOf(to)) / 7,
  month: (from, to) => monthOf(to) - monthOf(from),
}

/** Months since the year 0. */
function monthOf(date: string): number {
  const [year, month] = date.split('-').map(Number)
  return Number(year) * 12 + Number(month)
}

/** A place in the grid: the cohort by its first date, and how many periods after. */
export type Place = { date: string; offset: number }

/** The cell that is open; null without one. */
export function placeOf(address: Pick<Address, 'own'>): Place | null {
  const [, date, offset] = /^(\d{4}-\d{2}-\d{2}):(\d{1,2})$/.exec(ownValue(address, 'cell') ?? '') ?? []
  return date === undefined ? null : { date, offset: Number(offset) }
}

/** Whether the list has those who did not come back. */
export function isGone(address: Pick<Address, 'own'>): boolean {
  return ownValue(address, 'gone') === '1' && placeOf(address)?.offset !== 0
}

/** `16 Nov`, or `Nov 2026`. */
export function cohortLabel(date: string, period: Period): string {
  return period === 'month' ? bucketLabel(date.slice(0, 7)) : dateLabel(date)
}
