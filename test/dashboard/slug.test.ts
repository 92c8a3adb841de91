import { expect, test } from 'vitest'
import { slugOf } from '#dashboard/slug'

test.each([
  ['Ärzte & Co.', 'arzte-co'],
  ['--a--', 'a'],
  ['東京', ''],
  ['x'.repeat(90), 'x'.repeat(64)],
])('the short name of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})
