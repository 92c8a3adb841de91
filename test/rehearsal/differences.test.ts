import { expect, test } from 'vitest'
import { differencesIn } from '#rehearsal/differences'

test('a field that only the new answer has is no difference', () => {
  expect(differencesIn({ totals: { users: 1 } }, { totals: { users: 1, rate: 0.5 }, caveats: [] })).toEqual(
    [],
  )
})

test('a value that changed and a field that is gone are differences, named by their paths', () => {
  expect(
    differencesIn({ totals: { users: 1 }, rows: [{ day: 'a' }] }, { totals: {}, rows: [{ day: 'b' }] }),
  ).toEqual(['/totals/users is undefined after 1', '/rows/0/day is "b" after "a"'])
})

test('a list with an item more is a difference', () => {
  expect(differencesIn([1], [1, 2])).toEqual([' has 2 items after 1'])
})

test('null in place of an object is a difference', () => {
  expect(differencesIn({ totals: {} }, { totals: null })).toEqual(['/totals is null after {}'])
})
