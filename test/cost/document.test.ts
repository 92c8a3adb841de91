import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withTables } from '#cost/document'

test.each([
  ['cost', 5],
  ['scale', 1],
])(
  'docs/%s.md has the current tables of the model (`npm run cost -- --doc` updates them)',
  (page, tables) => {
    const document = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')
    expect([...document.matchAll(/<!-- cost:\w+ -->/g)].length).toBeGreaterThanOrEqual(tables)
    expect(withTables(document)).toBe(document)
  },
)

test('a marker of an unknown table is an error', () => {
  expect(() => withTables('<!-- cost:gold -->\n<!-- /cost -->')).toThrow('gold')
})
