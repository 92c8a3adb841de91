import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketOf, chooseVariant, splitEqually } from '#schemas/assignment'
import { propertySettings } from '#test/support/depth'

/**
 * The hash of docs/api/experiments.md#assignment, written with integers of any size: 32 signed bits, times 31
 * plus each UTF-16 code unit.
 */
function expectedBucket(experiment: string, userId: string): number {
  let hash = 0n
  for (const unit of `${experiment}.${userId}`.split('')) {
    hash = BigInt.asIntN(32, hash * 31n + BigInt(unit.charCodeAt(0)))
  }
  return Number((hash < 0n ? -hash : hash) % 100n)
}

test.each([
  ['cta', 'anon_1', 64],
  ['cta', 'ada', 56],
  ['', '', 46],
  ['signup-form', 'anon_0123456789abcdef', 66],
  ['größe', 'üser-😀', 27],
])('experiment %j and user %j are in bucket %i', (experiment, user, bucket) => {
  expect(bucketOf(experiment, user)).toBe(bucket)
})

test('the bucket is that of the documented hash for every experiment and user', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 })
  fc.assert(
    fc.property(text, text, (experiment, user) => {
      expect(bucketOf(experiment, user)).toBe(expectedBucket(experiment, user))
    }),
    propertySettings(200),
  )
})

test('the smallest hash, whose absolute value does not fit into 32 signed bits, gives bucket 48', () => {
  // The hash of `cta.anon_qdhozpe` is exactly -2 ** 31.
  expect(bucketOf('cta', 'anon_qdhozpe')).toBe(48)
})

test('an equal split gives the remainder to the first key', () => {
  const weights = (count: number) =>
    splitEqually(Array.from({ length: count }, (_, at) => `v${at}`)).map(v => v.weight)
  expect([weights(1), weights(2), weights(3), weights(4)]).toEqual([
    [100],
    [50, 50],
    [34, 33, 33],
    [25, 25, 25, 25],
  ])
})

test('the first variant whose running weight exceeds the bucket is chosen', () => {
  const variants = [
    { key: 'a', weight: 10 },
    { key: 'b', weight: 0 },
    { key: 'c', weight: 90 },
  ]
  expect([0, 9, 10, 99].map(bucket => chooseVariant(variants, bucket))).toEqual(['a', 'a', 'c', 'c'])
  expect(chooseVariant([{ key: 'a', weight: 50 }], 50)).toBeNull()
  expect(chooseVariant([], 0)).toBeNull()
})
