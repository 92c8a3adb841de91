import { ratio } from '#core/reports/run/rounding'
import type { ExperimentRecord, ExperimentResults } from '#schemas/experiments'
import { decide } from './decide.ts'
import { decisionProbability } from './error-rates.ts'
import { liftInterval } from './lift-interval.ts'
import { planSize } from './plan-size.ts'
import { probabilityBest } from './probability-best.ts'
import { ENOUGH_EXPOSURES, recommend, ruleText } from './recommend.ts'

/** The counts of a variant (docs/api/experiments.md). */
export type VariantCounts = { key: string; exposures: number; users: number; conversions: number }

/** The probability of `lift_interval`. */
const SHOWN_PROBABILITY = 0.95

/** What the results depend on besides the counts. `until`: their end, Unix ms. */
export type Measurement = Pick<
  ExperimentRecord,
  'variants' | 'status' | 'smallest_effect' | 'planned_size'
> & { firstExposureAt: number | null; until: number }

/** What the counts of the variants say (docs/api/experiments.md). The first variant is the baseline. */
export function compareVariants(
  counts: readonly VariantCounts[],
  measurement: Measurement,
): ExperimentResults {
  const probabilities = probabilityBest(counts).map(toThreeDecimals)
  const perVariant = <T>(resultOf: (variant: VariantCounts, i: number) => T) =>
    Object.fromEntries(counts.map((variant, i) => [variant.key, resultOf(variant, i)]))
  const baselineOf = (i: number) => (i === 0 ? bestOf(counts.slice(1)) : counts[0])
  const intervalOf = (variant: VariantCounts, i: number, probability: number): [number, number] => {
    const [low, high] = liftInterval(variant, baselineOf(i) ?? variant, probability)
    return [toThreeDecimals(low), toThreeDecimals(high)]
  }
  // Whoever reads the interval must find the decision in it, so the decision reads the rounded one.
  const level = decisionProbability(counts.length)
  const intervals = counts.map((variant, i) => intervalOf(variant, i, level))
  const plan = planSize(counts, measurement)
  const decision = decide({ ...measurement, counts, probabilities, intervals, plan })
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
    lift_interval: perVariant((variant, i) => intervalOf(variant, i, SHOWN_PROBABILITY)),
    decision_interval: perVariant((_, i) => [...(intervals[i] ?? [])]),
    decision: decision.kind === 'ship' ? `ship:${decision.key}` : decision.kind,
    plan: {
      size: plan.size,
      smallest_effect: plan.effect,
      first_exposure_at: isoTime(measurement.firstExposureAt),
      decides_at: decision.kind === 'keep_running' ? isoTime(decision.decidesAt) : null,
      rule: ruleText(plan, level),
    },
    sufficient_data: counts.every(({ exposures }) => exposures >= ENOUGH_EXPOSURES),
    recommendation: recommend({ counts, probabilities, plan, decision, status: measurement.status }),
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

function toThreeDecimals(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
