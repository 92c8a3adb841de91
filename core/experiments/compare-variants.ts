import { ratio } from '#core/reports/run/rounding'
import type { ExperimentResults } from '#schemas/experiments'
import { liftInterval } from './lift-interval.ts'
import { probabilityBest } from './probability-best.ts'

/** The counts of a variant (docs/api/experiments.md). */
export type VariantCounts = { key: string; exposures: number; users: number; conversions: number }

/** Exposures that each variant needs before its results mean something. */
const ENOUGH_EXPOSURES = 100
/** From this probability on, a variant leads. */
const LEADING_PROBABILITY = 0.9
/** From this probability on, the leader may be shipped. */
const SHIPPING_PROBABILITY = 0.95
/** Variants whose lifts surely lie between -5 % and 5 % do not differ in practice. */
const SMALL_LIFT = 0.05

/** What the counts of the variants say (docs/api/experiments.md). The first variant is the baseline. */
export function compareVariants(counts: readonly VariantCounts[]): ExperimentResults {
  const probabilities = probabilityBest(counts).map(toThreeDecimals)
  const perVariant = <T>(resultOf: (variant: VariantCounts, i: number) => T) =>
    Object.fromEntries(counts.map((variant, i) => [variant.key, resultOf(variant, i)]))
  const baselineOf = (i: number) => (i === 0 ? bestOf(counts.slice(1)) : counts[0])
  const intervals = counts.map((variant, i) => liftInterval(variant, baselineOf(i) ?? variant))
  const decision = decide(counts, probabilities, intervals)
  return {
    variants: counts.map(({ key, exposures, users, conversions }) => ({
      key,
      exposures,
      unique_users: users,
      conversions,
      conversion_rate: ratio(conversions, users, 3),
    })),
    probability_best: perVariant((_, i) => probabilities[i] ?? 0),
    lift: perVariant((variant, i) => liftOver(variant, baselineOf(i))),
    lift_interval: perVariant((_, i) => (intervals[i] ?? []).map(toThreeDecimals)),
    decision,
    sufficient_data: counts.every(({ exposures }) => exposures >= ENOUGH_EXPOSURES),
    recommendation: recommend(counts, probabilities, decision),
  }
}

/**
 * The key of the variant that is the best with the highest probability, the first of several; null if no user
 * has seen any. The probabilities are not rounded.
 */
export function findBest(counts: readonly VariantCounts[]): string | null {
  if (counts.every(({ exposures }) => exposures === 0)) return null
  const probabilities = probabilityBest(counts)
  return counts[probabilities.indexOf(Math.max(...probabilities))]?.key ?? null
}

/** (rate - baseline rate) / baseline rate; 0 if the baseline has no conversions. */
function liftOver(variant: VariantCounts, baseline: VariantCounts | undefined): number {
  if (baseline === undefined || baseline.conversions === 0) return 0
  // Without users the rate counts as 0.
  if (variant.users === 0) return -1
  // Both rates as fractions with one denominator, so that only whole numbers are divided.
  const own = variant.conversions * baseline.users
  const base = baseline.conversions * variant.users
  return ratio(own - base, base, 3)
}

/** The variant with the highest conversion rate. */
function bestOf(counts: readonly VariantCounts[]): VariantCounts | undefined {
  const rateOf = ({ users, conversions }: VariantCounts) => (users === 0 ? 0 : conversions / users)
  return counts.toSorted((a, b) => rateOf(b) - rateOf(a))[0]
}

/** What to do (U74): `ship:<key>`, `no difference`, or `wait`. `intervals`: of the lift of each variant. */
function decide(
  counts: readonly VariantCounts[],
  probabilities: readonly number[],
  intervals: readonly (readonly [low: number, high: number])[],
): string {
  if (counts.some(({ exposures }) => exposures < ENOUGH_EXPOSURES)) return 'wait'
  const leader = probabilities.findIndex(probability => probability >= SHIPPING_PROBABILITY)
  if (leader >= 0) return `ship:${counts[leader]?.key}`
  const isSmall = intervals.every(([low, high]) => low > -SMALL_LIFT && high < SMALL_LIFT)
  return isSmall ? 'no difference' : 'wait'
}

function recommend(
  counts: readonly VariantCounts[],
  probabilities: readonly number[],
  decision: string,
): string {
  const few = counts.filter(({ exposures }) => exposures < ENOUGH_EXPOSURES)
  if (few.length > 0) {
    const shown = few.map(({ key, exposures }) => `\`${key}\` has ${exposures}`).join(', ')
    return `More data is needed: every variant needs at least ${ENOUGH_EXPOSURES} exposures, and ${shown}.`
  }
  const highest = Math.max(...probabilities)
  const { key } = counts[probabilities.indexOf(highest)] as VariantCounts
  const probability = highest.toFixed(3)
  if (decision === 'no difference') {
    return `The variants do not differ: with a probability of 95 %, each lift is between -${SMALL_LIFT * 100} % and ${SMALL_LIFT * 100} %. Keep the one that costs least.`
  }
  if (highest < LEADING_PROBABILITY) {
    return `There is no clear leader yet: \`${key}\` is the best one with a probability of ${probability}, and a leader needs ${LEADING_PROBABILITY}.`
  }
  const leads = `Variant \`${key}\` leads: it is the best one with a probability of ${probability}`
  return decision === 'wait'
    ? `${leads}. Wait until that is ${SHIPPING_PROBABILITY}.`
    : `${leads}, and ${SHIPPING_PROBABILITY} is enough to ship it.`
}

function toThreeDecimals(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
