import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FEWEST_PEOPLE, foldGroups } from '#core/reports/few-people/fold-groups'

/** Groups by the names of their people: a person may be in several. */
const people = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 0, maxLength: 12 })
const sizeOf = (group: readonly number[]) => group.length
const union = (groups: readonly (readonly number[])[]) => new Set(groups.flat()).size

test('what is shown has five people, and so has what is left, where any group has them', () => {
  fc.assert(
    fc.property(fc.array(people, { maxLength: 12 }), people, (groups, unlisted) => {
      const { shown, folded } = foldGroups(groups, sizeOf, { rest: unlisted.length })
      expect([...shown, ...folded].toSorted()).toEqual(groups.toSorted())
      for (const group of shown) expect(group.length).toBeGreaterThanOrEqual(FEWEST_PEOPLE)
      if (shown.length === 0 || (folded.length === 0 && unlisted.length === 0)) return
      expect(union([...folded, unlisted])).toBeGreaterThanOrEqual(FEWEST_PEOPLE)
    }),
  )
})

test('where nobody is in two groups, a group joins only if the others are fewer than five', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 12 }), fc.nat(9), (sizes, rest) => {
      const groups = sizes.map((size, key) => ({ size, key }))
      const { shown, folded } = foldGroups(groups, ({ size }) => size, { rest, areDisjoint: true })
      const left = folded.reduce((sum, { size }) => sum + size, rest)
      if (shown.length > 0 && left > 0) expect(left).toBeGreaterThanOrEqual(FEWEST_PEOPLE)
      const joined = folded.filter(({ size }) => size >= FEWEST_PEOPLE)
      const small = folded.filter(({ size }) => size < FEWEST_PEOPLE)
      expect(joined.length).toBeLessThanOrEqual(1)
      if (small.reduce((sum, { size }) => sum + size, rest) >= FEWEST_PEOPLE) expect(joined).toEqual([])
    }),
  )
})

test.each([
  [[4, 5, 6], { shown: [6], folded: [4, 5] }],
  [[5, 6], { shown: [5, 6], folded: [] }],
  [[0, 3], { shown: [], folded: [0, 3] }],
  [[], { shown: [], folded: [] }],
])('groups of %j people', (sizes, expected) => {
  expect(foldGroups(sizes, size => size)).toEqual(expected)
})
