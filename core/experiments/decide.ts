import { DAY_MS } from '#core/time'
import type { Variant } from '#schemas/assignment'
import type { ExperimentStatus } from '#schemas/experiments'
import type { PlannedSize } from './plan-size.ts'
import { findMisfit, type Share } from './sample-ratio.ts'

/** Weekdays convert unlike weekends, so a decision needs a whole week. */
export const WHOLE_DAYS = 7
/** An end of an experiment that is further away is no plan. */
const FURTHEST_MS = 365 * DAY_MS

export type Interval = readonly [low: number, high: number]

export type DecisionFacts = {
  variants: readonly Variant[]
  counts: readonly { key: string; users: number }[]
  probabilities: readonly number[]
  /**
   * The decision intervals as they are shown: the first variant over the best other one, others over the
   * first.
   */
  intervals: readonly Interval[]
  plan: PlannedSize
  status: ExperimentStatus
  /** Unix ms; null without an exposure. */
  firstExposureAt: number | null
  /** The end of the results: now, or when the experiment was completed. Unix ms. */
  until: number
}

/** What to do, why, and when a decision is expected. */
export type Decision =
  | { kind: 'check_assignment'; misfit: Share }
  | { kind: 'ship'; key: string }
  | { kind: 'no difference' }
  | { kind: 'undecided' }
  | {
      kind: 'keep_running'
      waitsFor: 'users' | 'conversions' | 'plan' | 'evidence'
      decidesAt: number | null
    }

/**
 * The rule of U86 (docs/api/experiments.md). Nothing is decided before the plan is reached: a wrong winner is
 * then seen with a probability below 5 %, however often somebody looks (error-rates.ts).
 */
export function decide(facts: DecisionFacts): Decision {
  const { variants, counts, plan, status, firstExposureAt, until } = facts
  const misfit = findMisfit(counts, variants)
  if (misfit !== null) return { kind: 'check_assignment', misfit }

  const fewest = Math.min(...counts.map(({ users }) => users))
  const hasDays = firstExposureAt !== null && until - firstExposureAt >= WHOLE_DAYS * DAY_MS
  const hasSize = plan.size !== null && fewest >= plan.size
  const decided = hasDays && hasSize ? compare(facts) : null
  if (decided !== null) return decided
  if (status === 'completed') return { kind: 'undecided' }
  const decidesAt = status === 'active' ? expectedEnd(facts, fewest, hasDays && hasSize) : null
  if (fewest === 0) return { kind: 'keep_running', waitsFor: 'users', decidesAt }
  if (plan.size === null) return { kind: 'keep_running', waitsFor: 'conversions', decidesAt }
  return { kind: 'keep_running', waitsFor: hasDays && hasSize ? 'evidence' : 'plan', decidesAt }
}

/** What the intervals say; null if they leave it open. */
function compare({ counts, probabilities, intervals, plan }: DecisionFacts): Decision | null {
  const others = intervals.slice(1)
  const better = intervals.flatMap(([low], i) => (i > 0 && low > 0 ? [i] : []))
  const best = better.toSorted((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0))[0]
  const shipped = best ?? (others.every(([, high]) => high < 0) ? 0 : null)
  if (shipped !== null) return { kind: 'ship', key: counts[shipped]?.key ?? '' }
  const effect = plan.effect ?? 0
  const noneIsBetter = others.every(([low, high]) => high < effect && (low > -effect || high < 0))
  return noneIsBetter ? { kind: 'no difference' } : null
}

/** When every variant has its users and the days are over, at the pace so far. Unix ms, or null. */
function expectedEnd(
  { plan, firstExposureAt, until }: DecisionFacts,
  fewest: number,
  isReached: boolean,
): number | null {
  const goal = isReached ? plan.largest : plan.size
  if (firstExposureAt === null || fewest === 0 || goal === null || (isReached && fewest >= goal)) return null
  const elapsed = Math.max(1, until - firstExposureAt)
  const left = (elapsed * Math.max(0, goal - fewest)) / fewest
  if (left > FURTHEST_MS) return null
  return Math.max(firstExposureAt + WHOLE_DAYS * DAY_MS, Math.ceil(until + left))
}
