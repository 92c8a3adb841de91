import { expect, test } from 'vitest'
import { matching, nextOrder, ordered } from '#dashboard/charts/row-order'

const rows = [
  { keys: ['/b10', 3, null], words: '/b10' },
  { keys: ['/B9', 12, 0.5], words: '/B9' },
  { keys: ['/ärger', 3, 0.25], words: '/%C3%A4rger\n/ärger' },
] as const

const names = (found: readonly (typeof rows)[number][]) => found.map(({ keys: [name] }) => name)

test('numbers are ordered by their size, and equal rows keep their order', () => {
  expect(names(ordered(rows, { column: 1, direction: 'descending' }))).toEqual(['/B9', '/b10', '/ärger'])
  expect(names(ordered(rows, { column: 1, direction: 'ascending' }))).toEqual(['/b10', '/ärger', '/B9'])
  expect(ordered(rows, null)).toBe(rows)
})

test('names are ordered as a reader counts, and rows without a value come last in both directions', () => {
  expect(names(ordered(rows, { column: 0, direction: 'ascending' }))).toEqual(['/ärger', '/B9', '/b10'])
  expect(names(ordered(rows, { column: 2, direction: 'ascending' })).at(-1)).toBe('/b10')
  expect(names(ordered(rows, { column: 2, direction: 'descending' })).at(-1)).toBe('/b10')
})

test('a search finds letters of any case and script, in the text as it is shown and as it was sent', () => {
  expect(names(matching(rows, ' b9 '))).toEqual(['/B9'])
  expect(names(matching(rows, 'ÄRGER'))).toEqual(['/ärger'])
  expect(names(matching(rows, '%c3'))).toEqual(['/ärger'])
  expect(matching(rows, ' ')).toBe(rows)
})

test('the first click orders numbers from the largest and names from the first, the next one turns it', () => {
  expect(nextOrder(null, 0)).toEqual({ column: 0, direction: 'ascending' })
  expect(nextOrder(null, 2)).toEqual({ column: 2, direction: 'descending' })
  expect(nextOrder({ column: 2, direction: 'descending' }, 2)).toEqual({ column: 2, direction: 'ascending' })
})
