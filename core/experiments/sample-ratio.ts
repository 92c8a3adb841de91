import type { Variant } from '#schemas/assignment'

/**
 * The value of Pearson's statistic that is exceeded with a probability of 0.0005, by degrees of freedom from
 * 1 on. A fault of the assignment exceeds it soon; a sound experiment with a look every day for eight weeks
 * does so with a probability below 1 % (docs/decisions/2026-11-29-experiments.md).
 */
const CRITICAL_VALUES = [12.116, 15.202, 17.73]

/**
 * Every variant with a weight must expect so many users, or Pearson's statistic means nothing (W. G. Cochran,
 * 1954).
 */
const FEWEST_EXPECTED = 5

export type Share = { key: string; users: number; expected: number }

/**
 * The variant whose number of users fits its weight least, if the users of all do not fit the weights; else
 * null. A sample ratio mismatch says that users got lost or were assigned otherwise, so the results compare
 * different people (A. Fabijan et al., "Diagnosing Sample Ratio Mismatch in Online Controlled Experiments",
 * KDD 2019). The statistic is the sum of (users - expected)^2 / expected (K. Pearson, 1900).
 */
export function findMisfit(
  counts: readonly { key: string; users: number }[],
  weights: readonly Pick<Variant, 'weight'>[],
): Share | null {
  const total = counts.reduce((sum, { users }) => sum + users, 0)
  const allWeights = weights.reduce((sum, { weight }) => sum + weight, 0)
  const shares = counts.map(({ key, users }, i) => ({
    key,
    users,
    expected: (total * (weights[i]?.weight ?? 0)) / allWeights,
  }))
  const expecting = shares.filter(({ expected }) => expected > 0)
  if (expecting.length === 0 || expecting.some(({ expected }) => expected < FEWEST_EXPECTED)) return null
  const unexpected = shares.find(({ expected, users }) => expected === 0 && users > 0)
  if (unexpected !== undefined) return unexpected
  const statistic = expecting.reduce((sum, share) => sum + misfitOf(share), 0)
  if (statistic <= (CRITICAL_VALUES[expecting.length - 2] ?? Number.POSITIVE_INFINITY)) return null
  return expecting.toSorted((a, b) => misfitOf(b) - misfitOf(a))[0] ?? null
}

function misfitOf({ users, expected }: Share): number {
  return (users - expected) ** 2 / expected
}
