import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { compareVariants } from '#core/experiments/compare-variants'
import { DAY_MS } from '#core/time'
import { propertySettings } from '#test/support/depth'
import {
  type End,
  largestDistance,
  neverShipped,
  type Outcome,
  type SimulatedExperiment,
  simulateExperiment,
} from '#test/support/simulated-experiment'

/**
 * The error rates of the rule (docs/decisions/2026-11-29-experiments.md): `npm run bench -- experiments` has
 * more cases. Seeded, so the counts are the same in every run.
 */

const EIGHT_WEEKS = 56
const run = (experiment: SimulatedExperiment, end: End, count: number) =>
  Array.from({ length: count }, (_, i) => simulateExperiment(experiment, createRandom(i + 1), end))

test.each([2, 4])(
  'of 1,000 experiments of %i equal variants, looked at daily for eight weeks, at most 5 % ship',
  variants => {
    // The planned size is reached on day 7, which leaves the most looks.
    const rates = Array<number>(variants).fill(0.1)
    const outcomes = run({ rates, usersPerDay: 1_400 * variants, days: EIGHT_WEEKS }, 'shipped', 1_000)
    const count = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length
    expect(count(({ planned }) => planned === 7)).toBeGreaterThan(900)
    expect(count(({ shipped }) => shipped !== null)).toBeLessThanOrEqual(50)
    expect(count(({ misfit }) => misfit !== null)).toBeLessThanOrEqual(20)
    // The rule matters: an interval of 95 % shows a difference to every fourth of those who look daily.
    expect(count(({ naive }) => naive !== null)).toBeGreaterThan(250)
  },
)

test('of experiments with the smallest effect, four of five ship it at the planned size', () => {
  const outcomes = run({ rates: [0.1, 0.12], usersPerDay: 500, days: EIGHT_WEEKS }, 'planned', 100)
  const shipped = outcomes.flatMap(({ shipped: each }) => each?.key ?? [])
  expect(shipped.length).toBeGreaterThanOrEqual(70)
  expect(shipped.length).toBeLessThanOrEqual(92)
  expect(new Set(shipped)).toEqual(new Set(['v1']))
})

test('a look that the simulation leaves out could not have shipped', () => {
  const outcome = fc.record({
    rate: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
    more: fc.double({ min: -0.2, max: 0.2, noNaN: true }),
  })
  const sizes = fc.tuple(fc.integer({ min: 100, max: 3_000 }), fc.integer({ min: 100, max: 3_000 }))
  let left = 0
  fc.assert(
    fc.property(outcome, sizes, ({ rate, more }, [a, b]) => {
      const counts = [
        { key: 'v0', exposures: a, users: a, conversions: Math.round(a * rate) },
        { key: 'v1', exposures: b, users: b, conversions: Math.round(b * Math.min(1, rate * (1 + more))) },
      ]
      if (largestDistance(counts) >= neverShipped(2)) return
      left += 1
      const { decision } = compareVariants(counts, {
        variants: [
          { key: 'v0', weight: a },
          { key: 'v1', weight: b },
        ],
        ...{ status: 'active', smallest_effect: null, planned_size: 100 },
        ...{ firstExposureAt: 0, until: 7 * DAY_MS },
      })
      expect(decision).not.toMatch(/^ship/)
    }),
    propertySettings(60),
  )
  expect(left).toBeGreaterThan(0)
})
