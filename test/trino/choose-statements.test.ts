import { expect, test } from 'vitest'
import { chooseSome, chooseStatements } from './choose-statements.ts'

function statement(text: string, rowCount = 1) {
  return { query: { text, params: [] }, rows: Array.from({ length: rowCount }, () => ({ n: 1 })) }
}

test('statements that differ only in numbers count as one kind, and one statement of each kind is chosen', () => {
  const recorded = new Map([
    ['a', [statement("x > DATE '2026-11-01'"), statement("x > DATE '2026-11-02'"), statement('y IN (1, 2)')]],
    ['b', [statement('y IN (3)'), statement('z')]],
  ])
  const chosen = [...chooseStatements(recorded, 1).values()].flat().map(({ query }) => query.text)
  expect(chosen.map(text => text[0]).toSorted()).toEqual(['x', 'y', 'z'])
})

test('statements with rows come first, then those of other lakes', () => {
  const recorded = new Map([
    ['a', [statement('x 1', 0), statement('x 2'), statement('x 3')]],
    ['b', [statement('x 4')]],
    ['c', [statement('x 5', 0)]],
  ])
  const chosen = [...chooseStatements(recorded, 2)].map(([lake, list]) => [lake, list.length])
  expect(chosen).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 0],
  ])
})

test('a seed chooses as many statements as asked, the same ones each time, and another seed others', () => {
  const recorded = new Map([
    ['a', Array.from('abcdefgh', letter => statement(letter))],
    ['b', Array.from('ijklmnop', letter => statement(letter))],
  ])
  const textsOf = (count: number, seed: number) =>
    [...chooseSome(recorded, count, seed).values()].flat().map(({ query }) => query.text)
  expect(textsOf(5, 1)).toHaveLength(5)
  expect(textsOf(5, 1)).toEqual(textsOf(5, 1))
  expect(textsOf(5, 2)).not.toEqual(textsOf(5, 1))
  expect(textsOf(Number.POSITIVE_INFINITY, 1)).toEqual(Array.from('abcdefghijklmnop'))
})
