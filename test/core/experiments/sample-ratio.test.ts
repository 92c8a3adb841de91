import { expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { findMisfit } from '#core/experiments/sample-ratio'
import { bucketOf, chooseVariant } from '#schemas/assignment'

const misfit = (users: number[], weights: number[]) =>
  findMisfit(
    users.map((count, i) => ({ key: `v${i}`, users: count })),
    weights.map(weight => ({ weight })),
  )?.key ?? null

test.each([
  ['equal shares', [500, 500], [50, 50], null],
  // (545 - 500)^2 / 500 * 2 = 8.1; (578 - 500)^2 / 500 * 2 = 24.3. The bound is 12.116.
  ['a difference by chance', [545, 455], [50, 50], null],
  ['a difference that chance does not make', [578, 422], [50, 50], 'v0'],
  ['weights that are met', [900, 100], [90, 10], null],
  ['weights that are not met', [500, 500], [90, 10], 'v1'],
  ['one of three too few', [500, 500, 380], [34, 33, 33], 'v2'],
  ['one of four too many', [500, 500, 500, 640], [25, 25, 25, 25], 'v3'],
  ['too few users to judge', [9, 0], [50, 50], null],
  ['enough users to judge', [14, 0], [50, 50], 'v0'],
  ['a rare variant that expects too few', [96, 4], [99, 1], null],
  ['a variant without weight and users', [500, 500, 0], [50, 50, 0], null],
  ['users of a variant without weight', [500, 500, 1], [50, 50, 0], 'v2'],
  ['no users', [0, 0], [50, 50], null],
  ['no weights', [500, 10], [0, 0], null],
] as const)('%s', (_, users, weights, key) => {
  expect(misfit([...users], [...weights])).toBe(key)
})

test('what the tracker assigns fits the weights', () => {
  const random = createRandom(5)
  const idOf = () => `anon_${random.below(2 ** 32).toString(16)}${random.below(2 ** 32).toString(16)}`
  for (const [name, weights] of [
    ['cta', [50, 50]],
    ['hero_text', [90, 10]],
    ['a', [34, 33, 33]],
  ] as const) {
    const variants = weights.map((weight, i) => ({ key: `v${i}`, weight }))
    const users = weights.map(() => 0)
    for (let i = 0; i < 20_000; i++) {
      const chosen = chooseVariant(variants, bucketOf(name, idOf()))
      const at = variants.findIndex(({ key }) => key === chosen)
      users[at] = (users[at] ?? 0) + 1
    }
    expect([users, misfit(users, [...weights])]).toEqual([users, null])
  }
})
