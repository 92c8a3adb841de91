import { expect, test } from 'vitest'
import { decisionProbability, quantilesOf } from '#core/experiments/error-rates'
import { planSize } from '#core/experiments/plan-size'
import { normal } from '#test/support/normal'

const EFFECT = { smallest_effect: 0.2, planned_size: null }
const equal = (variants: number, users: number, conversions: number) =>
  Array.from({ length: variants }, () => ({ users, conversions }))

test.each([2, 3, 4])(
  'the quantiles of %i variants are those of the decision interval and of the power',
  variants => {
    const { interval, power } = quantilesOf(variants)
    expect(1 - 2 * (1 - normal(interval))).toBeCloseTo(decisionProbability(variants), 5)
    expect(normal(power)).toBeCloseTo(0.8, 4)
  },
)

test('the size is that of the formula for rates, of all variants together', () => {
  // 2 (0.9 / 0.1) ((2.9677 + 0.8416) 1.1 / 0.2)^2
  expect(planSize(equal(2, 1_000, 100), EFFECT)).toMatchObject({ size: 7_902, effect: 0.2 })
  const unequal = [
    { users: 1_000, conversions: 60 },
    { users: 1_000, conversions: 140 },
  ]
  expect(planSize(unequal, EFFECT).size).toBe(7_902)
  expect(planSize(equal(4, 1_000, 100), EFFECT).size).toBeGreaterThan(9_200)
})

test('a smaller effect needs more users by its square, and the effect of a size is what needs that size', () => {
  const { size } = planSize(equal(2, 1_000, 100), { ...EFFECT, smallest_effect: 0.1 })
  // Not fully: with a smaller effect the middle of the rates is nearer to the baseline.
  expect((size ?? 0) / 7_902).toBeCloseTo(4 * (1.05 / 1.1) ** 2, 2)
  const { effect } = planSize(equal(2, 1_000, 100), { smallest_effect: null, planned_size: 7_902 })
  expect(effect).toBeCloseTo(0.2, 3)
})

test('what was asked stays, also both', () => {
  const both = { smallest_effect: 0.05, planned_size: 300 }
  expect(planSize(equal(2, 1_000, 100), both)).toMatchObject({ size: 300, effect: 0.05 })
})

test('below ten conversions only what was asked is known', () => {
  expect(planSize(equal(2, 1_000, 4), EFFECT)).toEqual({ size: null, effect: 0.2, largest: null })
  expect(planSize(equal(2, 0, 0), { smallest_effect: null, planned_size: 300 })).toEqual({
    ...{ size: 300, effect: null, largest: null },
  })
  expect(planSize(equal(2, 1_000, 5), EFFECT).size).toBeGreaterThan(0)
})

test('a size that shows no effect below 100 % has no effect', () => {
  expect(planSize(equal(2, 1_000, 20), { smallest_effect: null, planned_size: 100 })).toEqual({
    ...{ size: 100, effect: null, largest: null },
  })
})

test('the size is at least 100, also where everybody converts', () => {
  expect(planSize(equal(2, 500, 500), EFFECT)).toMatchObject({ size: 100, largest: 100 })
})
