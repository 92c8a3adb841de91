import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withTables } from '#cost/document'

const document = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8')

test('docs/cost.md has the current tables of the model (`npm run cost -- --doc` updates them)', () => {
  expect([...document.matchAll(/<!-- cost:\w+ -->/g)].length).toBeGreaterThan(4)
  expect(withTables(document)).toBe(document)
})

test('a marker of an unknown table is an error', () => {
  expect(() => withTables('<!-- cost:gold -->\n<!-- /cost -->')).toThrow('gold')
})
