import type { Random } from '#core/demo/random'
import { compareVariants, type VariantCounts } from '#core/experiments/compare-variants'
import { quantilesOf } from '#core/experiments/error-rates'
import { planSize } from '#core/experiments/plan-size'
import { findMisfit } from '#core/experiments/sample-ratio'
import { DAY_MS } from '#core/time'
import { DEFAULT_SMALLEST_EFFECT } from '#schemas/smallest-effect'

export type SimulatedExperiment = {
  /** The true conversion rate of each variant; the first one is the baseline. */
  rates: readonly number[]
  /** Whole percents. Default: equal shares. */
  weights?: readonly number[] | undefined
  usersPerDay: number
  days: number
  smallestEffect?: number | undefined
  /** Asked at creation, instead of the effect. */
  plannedSize?: number | undefined
}

export type Outcome = {
  /** The first day with `ship`, from 1 on; null if it never came. */
  shipped: { day: number; key: string } | null
  misfit: number | null
  /** The day on which the planned size and seven days were reached. */
  planned: number | null
  /** The first look with `no difference`; only looks that were computed count. */
  equal: number | null
  /** The first day on which one look with an interval of 95 % would have shown a difference. */
  naive: number | null
}

/** The distance in standard errors of an interval of 95 %. */
const NAIVE = 1.96

/**
 * Below this distance from the baseline, in standard errors, no decision interval excludes zero: it ends at
 * `interval` standard errors, and the rest is room for few users, where the normal distribution is not exact
 * (test/core/experiments/error-rates.test.ts).
 */
export function neverShipped(variants: number): number {
  return quantilesOf(variants).interval - 0.27
}

/**
 * Where a simulation ends before its days do: with the first look at the planned size, with the first
 * decision of any kind, as it would for a person, or only when it ships. In the last case looks that cannot
 * ship are not computed, which saves nearly all of the time.
 */
export type End = 'planned' | 'decided' | 'shipped'

/**
 * Runs an experiment with a look at the end of every day. Each user is assigned by the weights and converts
 * by the rate of the variant on the same day.
 */
export function simulateExperiment(
  {
    rates,
    weights = rates.map(() => 1),
    usersPerDay,
    days,
    smallestEffect,
    plannedSize,
  }: SimulatedExperiment,
  random: Random,
  end: End,
): Outcome {
  const counts = rates.map(
    (_, i): VariantCounts => ({ key: `v${i}`, exposures: 0, users: 0, conversions: 0 }),
  )
  const variants = weights.map((weight, i) => ({ key: `v${i}`, weight }))
  const asked = {
    smallest_effect: smallestEffect ?? (plannedSize === undefined ? DEFAULT_SMALLEST_EFFECT : null),
    planned_size: plannedSize ?? null,
  }
  const outcome: Outcome = { shipped: null, misfit: null, planned: null, equal: null, naive: null }
  for (let day = 1; day <= days; day++) {
    addDay(counts, { rates, weights, usersPerDay }, random)
    if (outcome.misfit === null && findMisfit(counts, variants) !== null) outcome.misfit = day
    const distance = largestDistance(counts)
    if (outcome.naive === null && distance > NAIVE) outcome.naive = day
    const size = planSize(counts, asked).size ?? Number.POSITIVE_INFINITY
    const isPlanned = day >= 7 && counts.every(({ users }) => users >= size)
    if (!isPlanned) continue
    outcome.planned ??= day
    if (end === 'shipped' && distance < neverShipped(rates.length)) continue
    const until = day * DAY_MS
    const { decision } = compareVariants(counts, {
      ...{ variants, ...asked, status: 'active', firstExposureAt: 0, until },
    })
    if (decision.startsWith('ship:')) {
      outcome.shipped = { day, key: decision.slice('ship:'.length) }
      break
    }
    if (decision === 'no difference') outcome.equal ??= day
    if (end === 'planned' || (end === 'decided' && outcome.equal !== null)) break
  }
  return outcome
}

function addDay(
  counts: VariantCounts[],
  {
    rates,
    weights,
    usersPerDay,
  }: { rates: readonly number[]; weights: readonly number[]; usersPerDay: number },
  random: Random,
): void {
  let [users, share] = [usersPerDay, weights.reduce((sum, weight) => sum + weight, 0)]
  for (const [i, each] of counts.entries()) {
    const weight = weights[i] ?? 0
    const own = i === counts.length - 1 ? users : binomial(users, weight / share, random)
    users -= own
    share -= weight
    each.users += own
    each.exposures += own
    each.conversions += binomial(own, rates[i] ?? 0, random)
  }
}

/** The largest distance of a variant's rate from that of the baseline, in standard errors. */
export function largestDistance([baseline, ...others]: readonly VariantCounts[]): number {
  if (baseline === undefined) return 0
  return Math.max(
    ...others.map(({ users, conversions }) => {
      const rate = (conversions + baseline.conversions) / (users + baseline.users)
      const variance = rate * (1 - rate) * (1 / users + 1 / baseline.users)
      const difference = conversions / users - baseline.conversions / baseline.users
      return variance === 0 ? 0 : Math.abs(difference) / Math.sqrt(variance)
    }),
  )
}

/** A draw of the successes of so many trials: exact for few, by the normal distribution for many. */
function binomial(trials: number, probability: number, random: Random): number {
  if (probability > 0.5) return trials - binomial(trials, 1 - probability, random)
  const variance = trials * probability * (1 - probability)
  if (variance > 100) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
    return Math.min(trials, Math.max(0, Math.round(trials * probability + normal * Math.sqrt(variance))))
  }
  if (probability === 0) return 0
  // The trials between two successes have a geometric distribution.
  let successes = -1
  for (let trial = 0; trial <= trials; successes++) {
    trial += Math.floor(Math.log(1 - random.next()) / Math.log1p(-probability)) + 1
  }
  return successes
}
