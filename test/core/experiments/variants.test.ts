import { expect, test } from 'vitest'
import { parseVariants } from '#core/experiments/variants'

const weighted = (...weights: unknown[]) => weights.map((weight, i) => ({ key: `v${i}`, weight }))

test.each<[variants: unknown, weights: unknown, expected: number[]]>([
  [['a', 'b'], undefined, [50, 50]],
  [['a', 'b', 'c'], undefined, [34, 33, 33]],
  [['a', 'b', 'c', 'd'], undefined, [25, 25, 25, 25]],
  [
    ['a', 'b'],
    [90, 10],
    [90, 10],
  ],
  [
    ['a', 'b', 'c', 'd'],
    [0, 0, 1, 99],
    [0, 0, 1, 99],
  ],
  [weighted(70, 30), undefined, [70, 30]],
  [weighted(null, undefined), undefined, [50, 50]],
  [
    [{ key: 'a' }, 'b'],
    [1, 99],
    [1, 99],
  ],
])('the variants %j with weights %j get the shares %j', (variants, weights, expected) => {
  expect(parseVariants(variants, weights).map(({ weight }) => weight)).toEqual(expected)
})

test.each<[variants: unknown, weights?: unknown]>([
  [['a']],
  [['a', 'b', 'c', 'd', 'e']],
  [['a', 'a']],
  [['a', { key: 'a' }]],
  [['a', 'b c']],
  [['a', 'x'.repeat(65)]],
  [['a', '']],
  [['a', 7]],
  [['a', null]],
  [['a', ['b']]],
  [[{ weight: 50 }, 'b']],
  [[{ key: 'a', weight: 50 }, 'b']],
  [weighted('50', 50)],
  [weighted(100, undefined), [50, 50]],
  ['a,b'],
  [{}],
  [null],
  [['a', 'b'], [100]],
  [
    ['a', 'b'],
    [50, 51],
  ],
  [
    ['a', 'b'],
    [49.5, 50.5],
  ],
  [
    ['a', 'b'],
    [-1, 101],
  ],
  [
    ['a', 'b'],
    ['50', '50'],
  ],
  [['a', 'b'], '50,50'],
  [['a', 'b'], {}],
])('the variants %j with weights %j are refused', (variants, weights) => {
  expect(() => parseVariants(variants, weights)).toThrow(
    expect.objectContaining({ code: 'INVALID_VARIANTS' }),
  )
})
