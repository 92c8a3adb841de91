import type { DeltaMetric } from '#schemas/sessions'
import { ratio } from './rounding.ts'

/**
 * A number of two periods (R13): `change_pct` is a whole percentage, null when the number grew from 0.
 * `decimals`: of the two numbers, so that their difference shows no rounding error.
 */
export function toDelta(current: number, previous: number, decimals: number): DeltaMetric {
  const scale = 10 ** decimals
  const [scaledCurrent, scaledPrevious] = [Math.round(current * scale), Math.round(previous * scale)]
  const change = scaledCurrent - scaledPrevious
  const emptyBefore = scaledCurrent > 0 ? null : 0
  return {
    current,
    previous,
    change: change / scale,
    change_pct: scaledPrevious === 0 ? emptyBefore : ratio(change * 100, scaledPrevious, 0),
  }
}
