import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compareVariants as compare,
  findBest,
  type Measurement,
  type VariantCounts,
} from '#core/experiments/compare-variants'
import { DAY_MS } from '#core/time'
import { propertySettings } from '#test/support/depth'

const START = Date.UTC(2026, 10, 1)

/** After ten days of equal shares, with a planned size of 400. */
function compareVariants(counts: readonly VariantCounts[], more: Partial<Measurement> = {}) {
  return compare(counts, {
    ...{ status: 'active', smallest_effect: null, planned_size: 400 },
    variants: counts.map(({ key }) => ({ key, weight: 1 })),
    ...{ firstExposureAt: START, until: START + 10 * DAY_MS, ...more },
  })
}

const variant = (
  key: string,
  users: number,
  conversions: number,
  exposures = Math.max(users, 100),
): VariantCounts => ({ key, users, conversions, exposures })

test('the documented example: 48 of 480 users is a rate of 0.1, and lifts are 0.47 and -0.32', () => {
  const { variants, lift } = compareVariants([variant('control', 480, 48, 520), variant('blue', 490, 72)])
  expect(variants[0]).toEqual({
    key: 'control',
    exposures: 520,
    unique_users: 480,
    conversions: 48,
    conversion_rate: 0.1,
  })
  expect(lift.blue).toBeCloseTo(0.47, 2)
  expect(lift.control).toBeCloseTo(-0.32, 2)
})

test('the lift of the first variant is that over the best other one', () => {
  const { lift } = compareVariants([variant('a', 100, 20), variant('b', 100, 10), variant('c', 100, 16)])
  expect(lift).toEqual({ a: 0.25, b: -0.5, c: -0.2 })
})

test('the lift is 0 where the baseline has no conversions', () => {
  const { lift } = compareVariants([variant('a', 100, 0), variant('b', 100, 10), variant('c', 0, 0)])
  expect(lift).toEqual({ a: -1, b: 0, c: 0 })
  expect(compareVariants([variant('a', 0, 0, 0), variant('b', 0, 0, 0)]).lift).toEqual({ a: 0, b: 0 })
})

test('a variant without users has the rate 0', () => {
  const { lift, variants } = compareVariants([variant('a', 100, 10), variant('b', 0, 0)])
  expect([variants[1]?.conversion_rate, lift]).toEqual([0, { a: 0, b: -1 }])
})

test('probabilities have three decimals', () => {
  const { probability_best } = compareVariants([
    variant('a', 0, 0),
    variant('b', 0, 0),
    variant('__proto__', 0, 0),
  ])
  expect(Object.entries(probability_best)).toEqual([
    ['a', 0.333],
    ['b', 0.333],
    ['__proto__', 0.333],
  ])
})

const BEGINNINGS: [string, VariantCounts[], boolean, string][] = [
  [
    'with less than 100 exposures of a variant, more data',
    [variant('a', 90, 30, 100), variant('b', 90, 1, 99), variant('c', 88, 0, 0)],
    false,
    'More data is needed: every variant needs at least 100 exposures, and `b` has 99, `c` has 0. ',
  ],
  [
    'with a probability of 0.9 or more, the leader',
    [variant('a', 480, 48), variant('b', 490, 72)],
    true,
    'Variant `b` leads: it is the best one with a probability of 0.987. Keep it running',
  ],
  [
    'else that there is no clear leader',
    [variant('a', 100, 10), variant('b', 100, 12)],
    true,
    'There is no clear leader yet: `b` is the best one with a probability of 0.671, and a leader needs 0.9. ',
  ],
]

test.each(BEGINNINGS)('the recommendation names %s', (_, counts, isSufficient, text) => {
  const { sufficient_data, recommendation } = compareVariants(counts)
  expect([sufficient_data, recommendation.slice(0, text.length)]).toEqual([isSufficient, text])
})

test('the best variant has the highest probability, the first one of several, and there is none without exposures', () => {
  expect(findBest([variant('a', 100, 10), variant('b', 100, 12)])).toBe('b')
  expect(findBest([variant('a', 0, 0, 1), variant('b', 0, 0, 0)])).toBe('a')
  // Both probabilities are rounded to 1 or 0.
  expect(findBest([variant('a', 10_000, 100), variant('b', 10_000, 5_000)])).toBe('b')
  expect(findBest([variant('a', 0, 0, 0), variant('b', 0, 0, 0)])).toBeNull()
})

type Case = [
  condition: string,
  counts: VariantCounts[],
  more: Partial<Measurement>,
  decision: string,
  why: RegExp,
]
const clear = [variant('a', 500, 50), variant('b', 500, 100)]
const CASES: Case[] = [
  ['the plan reached and an interval above zero', clear, {}, 'ship:b', /^Variant `b` leads.*Ship `b`: its/],
  [
    'an interval of 95 % above zero, but not that of the decision',
    [variant('a', 480, 48), variant('b', 490, 72)],
    ...([
      { smallest_effect: 0.8 },
      'keep_running',
      /until about 2026-\d\d-\d\d: the decision interval still/,
    ] as const),
  ],
  [
    'six days and 23 hours',
    clear,
    { until: START + 7 * DAY_MS - 3_600_000 },
    ...(['keep_running', /until about 2026-11-08: the planned size is reached, and 7 whole days/] as const),
  ],
  ['seven days', clear, { until: START + 7 * DAY_MS }, 'ship:b', /Ship `b`/],
  [
    'one user too few',
    clear,
    { planned_size: 501 },
    ...([
      'keep_running',
      /2026-11-11: every variant needs 501 users and 7 whole days, and `a` has 500 users/,
    ] as const),
  ],
  [
    'an effect that needs more than a year',
    clear,
    { planned_size: null, smallest_effect: 0.01 },
    ...(['keep_running', /over a year, so a new experiment with a larger `smallest_effect`/] as const),
  ],
  [
    'the others below the baseline',
    [variant('a', 500, 100), variant('b', 500, 50), variant('c', 500, 40)],
    ...([{}, 'ship:a', /Ship `a`/] as const),
  ],
  [
    'two variants above the baseline',
    [variant('a', 500, 50), variant('b', 500, 110), variant('c', 500, 120)],
    ...([{}, 'ship:c', /Ship `c`/] as const),
  ],
  [
    'one variant that does not differ and one below the baseline',
    [variant('a', 40_000, 4_000), variant('b', 40_000, 4_010), variant('c', 40_000, 3_000)],
    ...([{ smallest_effect: 0.2 }, 'no difference', /No variant is better by 20 %/] as const),
  ],
  [
    'an interval within the smallest effect',
    [variant('a', 40_000, 4_000), variant('b', 40_000, 4_010)],
    ...([
      { planned_size: null, smallest_effect: 0.2 },
      'no difference',
      /No variant is better by 20 %/,
    ] as const),
  ],
  [
    'users that do not fit equal shares',
    [variant('a', 500, 50), variant('b', 700, 200)],
    ...([
      {},
      'check_assignment',
      /`b` leads.*`\w` has (500|700) and should have about 600\. Check how/,
    ] as const),
  ],
  [
    'users that fit other weights',
    [variant('a', 4_500, 450), variant('b', 500, 100)],
    {
      variants: [
        { key: 'a', weight: 90 },
        { key: 'b', weight: 10 },
      ],
    },
    ...(['ship:b', /Ship `b`/] as const),
  ],
  [
    'a variant that nobody has seen',
    [variant('a', 4, 1), variant('b', 0, 0)],
    ...([{}, 'keep_running', /Keep it running: nobody has seen `b` yet\.$/] as const),
  ],
  [
    'no exposure at all',
    [variant('a', 0, 0, 0), variant('b', 0, 0, 0)],
    ...([{ firstExposureAt: null }, 'keep_running', /nobody has seen `a` yet/] as const),
  ],
  [
    'too few conversions to know the size',
    [variant('a', 500, 4), variant('b', 500, 5)],
    ...([
      { planned_size: null, smallest_effect: 0.2 },
      'keep_running',
      /known from 10 conversions on/,
    ] as const),
  ],
  ['a paused experiment', clear, { status: 'paused', planned_size: 900 }, 'keep_running', /Resume it to get/],
  [
    'a completed one before the plan',
    clear,
    { status: 'completed', planned_size: 900 },
    'undecided',
    /was completed before/,
  ],
  ['a completed one after the plan', clear, { status: 'completed' }, 'ship:b', /Ship `b`/],
]

test.each(CASES)('with %s it decides so', (_, counts, more, decision, why) => {
  const results = compareVariants(counts, more)
  expect([results.decision, results.recommendation]).toEqual([decision, expect.stringMatching(why)])
  const mayHaveEnd = decision === 'keep_running' && more.status !== 'paused'
  if (!mayHaveEnd) expect(results.plan.decides_at).toBeNull()
})

test('the interval that decides is wider than that of one look, and holds it', () => {
  const { lift_interval, decision_interval } = compareVariants(clear)
  for (const key of ['a', 'b']) {
    const [low = 0, high = 0] = lift_interval[key] ?? []
    expect(decision_interval[key]?.[0]).toBeLessThan(low)
    expect(decision_interval[key]?.[1]).toBeGreaterThan(high)
  }
})

test('a variant is shipped only where both shown intervals exclude zero, whatever the counts are', () => {
  const counts = fc.tuple(fc.integer({ min: 90, max: 3_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
  let shipped = 0
  fc.assert(
    fc.property(
      fc.array(counts, { minLength: 2, maxLength: 4 }),
      fc.integer({ min: 5, max: 9 }),
      (drawn, days) => {
        const users = drawn[0]?.[0] ?? 0
        const variants = drawn.map(([, rate], i) =>
          variant(`v${i}`, users, Math.round(users * (0.3 + rate / 10))),
        )
        const { decision, decision_interval, lift_interval } = compareVariants(variants, {
          until: START + days * DAY_MS,
        })
        if (!decision.startsWith('ship:')) return
        shipped += 1
        const key = decision.slice('ship:'.length)
        expect([users >= 400, days >= 7]).toEqual([true, true])
        expect(decision_interval[key]?.[0]).toBeGreaterThan(0)
        expect(lift_interval[key]?.[0]).toBeGreaterThan(0)
      },
    ),
    propertySettings(40),
  )
  expect(shipped).toBeGreaterThan(0)
})

test('the plan says when it is reached at the pace so far', () => {
  const { plan } = compareVariants([variant('a', 200, 60), variant('b', 200, 60)])
  expect(plan).toEqual({
    size: 400,
    smallest_effect: 0.518,
    first_exposure_at: '2026-11-01T00:00:00.000Z',
    decides_at: '2026-11-21T00:00:00.000Z',
    rule: 'Ship a variant when three things hold: its interval of 99.7 % excludes zero, 7 whole days have passed since the first exposure, and every variant has 400 users (the planned size). When the last two hold and no variant can be better by 51.8 %, the result is: no difference.',
  })
  const early = compareVariants([variant('a', 200, 60), variant('b', 200, 60)], { until: START + DAY_MS })
  expect(early.plan.decides_at).toBe('2026-11-08T00:00:00.000Z')
})
