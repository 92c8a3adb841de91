import { expect, test } from 'vitest'
import { fitTables } from '#core/text/fit-tables'

const table = (rows: number) => ({ head: 'rows', rows: Array.from({ length: rows }, (_, i) => `|${i % 10}`) })

test('tables that fit are whole', () => {
  expect(fitTables([table(3), table(1)], 100)).toEqual([3, 1])
})

test('the longest table is cut first', () => {
  // A head takes 2, a row 3.
  expect(fitTables([table(100), table(2)], 4 + 3 * 6)).toEqual([4, 2])
})

test('without room no row is left', () => {
  expect(fitTables([table(5), table(5)], -10)).toEqual([0, 0])
})
