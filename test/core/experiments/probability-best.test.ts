import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { VariantOutcome } from '#core/experiments/posteriors'
import { probabilityBest } from '#core/experiments/probability-best'
import { propertySettings } from '#test/support/depth'
import { normal } from '#test/support/normal'

const outcome = (maxUsers: number) =>
  fc
    .nat(maxUsers)
    .chain(users => fc.nat(users).map((conversions): VariantOutcome => ({ users, conversions })))

function factorial(n: number): bigint {
  let product = 1n
  for (let i = 2n; i <= BigInt(n); i++) product *= i
  return product
}

function choose(n: number, k: number): bigint {
  return factorial(n) / (factorial(k) * factorial(n - k))
}

/** A fraction of whole numbers of any size as a number, exact to 12 digits. */
function toNumber(numerator: bigint, denominator: bigint): number {
  return Number((numerator * 10n ** 12n) / denominator) / 1e12
}

/**
 * The same probability by exact arithmetic. With whole numbers a and b, the density of Beta(a, b) is n C(n -
 * 1, a - 1) x^(a-1) (1-x)^(b-1) with n = a + b - 1, and its distribution function the sum of C(n, m) x^m
 * (1-x)^(n-m) over m >= a. The integral of x^p (1-x)^q is p! q! / (p + q + 1)!.
 */
function exactProbability(outcomes: readonly VariantOutcome[], i: number): number {
  const own = outcomes[i] as VariantOutcome
  let terms: [p: number, factor: bigint][] = [
    [own.conversions, BigInt(own.users + 1) * choose(own.users, own.conversions)],
  ]
  let degree = own.users
  for (const [j, { users, conversions }] of outcomes.entries()) {
    if (j === i) continue
    const n = users + 1
    degree += n
    terms = terms.flatMap(([p, factor]) =>
      Array.from({ length: n - conversions }, (_, k): [number, bigint] => {
        const m = conversions + 1 + k
        return [p + m, factor * choose(n, m)]
      }),
    )
  }
  const denominator = factorial(degree + 1)
  const numerator = terms.reduce(
    (sum, [p, factor]) => sum + factor * factorial(p) * factorial(degree - p),
    0n,
  )
  return toNumber(numerator, denominator)
}

test('without users all variants are the best one with equal probability', () => {
  for (const count of [2, 3, 4]) {
    const outcomes = Array.from({ length: count }, () => ({ users: 0, conversions: 0 }))
    for (const probability of probabilityBest(outcomes)) expect(probability).toBeCloseTo(1 / count, 6)
  }
})

test('equal variants have equal probabilities, for few users and for a million', () => {
  for (const users of [1, 30, 1_000_000]) {
    for (const conversions of [0, 1, Math.floor(users / 3), users]) {
      const outcomes = Array.from({ length: 3 }, () => ({ users, conversions }))
      for (const probability of probabilityBest(outcomes)) expect(probability).toBeCloseTo(1 / 3, 4)
    }
  }
})

test('two variants have the probability of the closed form', () => {
  fc.assert(
    fc.property(outcome(60), outcome(60), (a, b) => {
      const probabilities = probabilityBest([a, b])
      expect(probabilities[0]).toBeCloseTo(exactProbability([a, b], 0), 4)
      expect(probabilities[1]).toBeCloseTo(exactProbability([a, b], 1), 4)
    }),
    propertySettings(40),
  )
})

test('three and four variants have the probabilities of the closed form, which add up to 1', () => {
  fc.assert(
    fc.property(fc.array(outcome(7), { minLength: 3, maxLength: 4 }), outcomes => {
      const probabilities = probabilityBest(outcomes)
      for (const [i, probability] of probabilities.entries()) {
        expect(probability).toBeCloseTo(exactProbability(outcomes, i), 4)
      }
      expect(probabilities.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 4)
    }),
    propertySettings(20),
  )
})

test('a variant with few users beside one with many has the probability of the closed form', () => {
  const cases: VariantOutcome[][] = [
    [
      { users: 0, conversions: 0 },
      { users: 150, conversions: 50 },
    ],
    [
      { users: 3, conversions: 3 },
      { users: 150, conversions: 149 },
    ],
    [
      { users: 1, conversions: 0 },
      { users: 150, conversions: 0 },
    ],
  ]
  for (const outcomes of cases) {
    expect(probabilityBest(outcomes)[0]).toBeCloseTo(exactProbability(outcomes, 0), 4)
  }
})

test.each([1_000_000, 100_000_000])(
  'for %i users it is the probability of the normal approximation',
  users => {
    const rate = 0.1
    for (const z of [-3, -1, 0, 0.5, 2]) {
      const deviation = Math.sqrt((2 * rate * (1 - rate)) / users)
      const other = Math.round((rate + z * deviation) * users)
      const [, probability] = probabilityBest([
        { users, conversions: rate * users },
        { users, conversions: other },
      ])
      expect(probability).toBeCloseTo(normal((other / users - rate) / deviation), 3)
    }
  },
)

test('every probability is a number from 0 to 1, whatever the counts are', () => {
  const users = fc.oneof(fc.nat(10), fc.nat(10_000), fc.nat(1_000_000))
  const any = users.chain(count => fc.nat(count).map(conversions => ({ users: count, conversions })))
  fc.assert(
    fc.property(fc.array(any, { minLength: 2, maxLength: 4 }), outcomes => {
      const probabilities = probabilityBest(outcomes)
      for (const probability of probabilities) {
        expect(probability).toBeGreaterThanOrEqual(-1e-9)
        expect(probability).toBeLessThanOrEqual(1 + 1e-9)
      }
      expect(probabilities.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 4)
    }),
    propertySettings(60),
  )
})
