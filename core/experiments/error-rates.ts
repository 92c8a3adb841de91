/**
 * How sure a decision must be (docs/decisions/2026-11-29-experiments.md has the simulations behind the
 * numbers).
 */

/**
 * The part that lies outside the decision interval of one comparison: 0.3 %, so the interval has 99.7 %. One
 * look could do with 5 %. Whoever looks every day has many chances to see a wrong winner: with this number
 * they add up to 2 % in eight weeks and to less than 5 % in a year.
 */
const OUTSIDE = 0.003

/**
 * The probability with which a real effect of the smallest size of interest is found: 80 %, by convention.
 */
const POWER_QUANTILE = 0.8416

/**
 * Quantiles of the standard normal distribution for the ends of the decision interval, by the number of
 * comparisons with the baseline: each of them gets its part of `OUTSIDE` (Bonferroni's correction), so three
 * variants beside the baseline are not three chances.
 */
const INTERVAL_QUANTILES = [2.9677, 3.1747, 3.2905]

/** The probability of the decision interval of an experiment with so many variants. */
export function decisionProbability(variants: number): number {
  return 1 - OUTSIDE / comparisonsOf(variants)
}

/**
 * The quantiles of a test of these variants: half of the decision interval has `interval` standard errors,
 * and an effect of `interval + power` standard errors is found with a probability of 80 %.
 */
export function quantilesOf(variants: number): { interval: number; power: number } {
  const interval = INTERVAL_QUANTILES[comparisonsOf(variants) - 1] ?? Number.POSITIVE_INFINITY
  return { interval, power: POWER_QUANTILE }
}

function comparisonsOf(variants: number): number {
  return Math.max(1, variants - 1)
}
