import { sumOf } from '#core/sum'
import type { ExperimentRecord } from '#schemas/experiments'
import { PLANNED_SIZE_BOUNDS } from '#schemas/experiments'
import { quantilesOf } from './error-rates.ts'
import type { VariantOutcome } from './posteriors.ts'

/** From so many conversions on, their rate says how many users are needed, to about 30 %. */
export const FEWEST_CONVERSIONS = 10

export type PlannedSize = {
  /** The users that every variant needs before a decision; null while the rate is unknown. */
  size: number | null
  /** The smallest lift of interest; null while the rate is unknown from which it follows, or above 100 %. */
  effect: number | null
  /** With so many users of every variant a decision comes at the latest; null as above. */
  largest: number | null
}

/**
 * The planned size of an experiment: as asked at its creation, or from the smallest effect. The rate p is
 * that of all variants together, so the size does not depend on which of them leads. It lies in the middle of
 * rates that differ by the effect e, so they differ by d = e / (1 + e / 2) as a part of p.
 *
 * The standard error of that difference is sqrt(2 (1 - p) / (p n)) with n users of each variant. It is d / (z
 * + w) with n = 2 (1 - p) / p ((z + w) / d)^2, for the quantiles z of the interval and w of the power (J. L.
 * Fleiss, B. Levin, M. C. Paik, "Statistical Methods for Rates and Proportions", 3rd edition, 2003, chapter
 * 4). When it is d / (2 z), the interval reaches half of the effect to each side: from then on it either
 * excludes zero or lies within the effect.
 */
export function planSize(
  outcomes: readonly VariantOutcome[],
  { smallest_effect, planned_size }: Pick<ExperimentRecord, 'smallest_effect' | 'planned_size'>,
): PlannedSize {
  const users = sumOf(outcomes, outcome => outcome.users)
  const conversions = sumOf(outcomes, outcome => outcome.conversions)
  if (conversions < FEWEST_CONVERSIONS) {
    return { size: planned_size, effect: smallest_effect, largest: null }
  }
  const { interval, power } = quantilesOf(outcomes.length)
  const variance = (2 * (users - conversions)) / conversions
  const effect = smallest_effect ?? effectOf((interval + power) * Math.sqrt(variance / (planned_size ?? 1)))
  if (effect === null) return { size: planned_size, effect, largest: null }
  const difference = effect / (1 + effect / 2)
  const size = planned_size ?? usersFor(variance, difference / (interval + power))
  return { size, effect, largest: Math.max(size, usersFor(variance, difference / (2 * interval))) }
}

/** The effect with this difference, with the three decimals that are shown; null if it is above 100 %. */
function effectOf(difference: number): number | null {
  const effect = difference / (1 - difference / 2)
  return effect < 0 || effect > 1 ? null : Math.round(effect * 1_000) / 1_000
}

/** The users of each variant with which a difference has this standard error. */
function usersFor(variance: number, standardError: number): number {
  return Math.max(PLANNED_SIZE_BOUNDS.min, Math.ceil(variance / standardError ** 2))
}
