import type { Answer } from '#dashboard/api'

export type Experiment = Answer<'GET /experiments/{id}'>

const lifts = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
})

/** `+12.5%`. */
export function liftText(lift: number | undefined): string {
  return lift === undefined ? '–' : lifts.format(lift)
}

export function intervalText(interval: readonly number[] | undefined): string {
  return interval === undefined ? '–' : `${liftText(interval[0])} to ${liftText(interval[1])}`
}
