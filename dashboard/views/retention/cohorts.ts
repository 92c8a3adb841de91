import { bucketLabel, dateLabel } from '#dashboard/format'
import { type Address, ownValue } from '#dashboard/url'

/** What the address says about cohorts. */

export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

/** How many cohorts a reader can choose; the first is what an address without one means. */
export const COHORTS: Record<Period, readonly number[]> = {
  day: [14, 7, 30],
  week: [8, 4, 12],
  month: [6, 3, 12],
}

export function periodOfCohorts(address: Pick<Address, 'own'>): Period {
  const asked = ownValue(address, 'period')
  return PERIODS.find(each => each === asked) ?? 'week'
}

export function cohortsOf(address: Pick<Address, 'own'>): number {
  const period = periodOfCohorts(address)
  const asked = Number(ownValue(address, 'cohorts'))
  const most = Math.max(...COHORTS[period])
  return Number.isInteger(asked) && asked >= 1 && asked <= most ? asked : (COHORTS[period][0] as number)
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
