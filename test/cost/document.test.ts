import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withTables } from '#cost/document'

const document = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8')

test('the tables of docs/cost.md are what the model says: `npm run cost -- --doc` writes them anew', () => {
  expect([...document.matchAll(/<!-- cost:\w+ -->/g)].length).toBeGreaterThan(4)
  expect(withTables(document)).toBe(document)
})

test('a table that nobody makes is refused', () => {
  expect(() => withTables('<!-- cost:gold -->\n<!-- /cost -->')).toThrow('gold')
})
