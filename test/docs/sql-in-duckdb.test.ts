import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { dialect } from '#duckdb/macros'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/sql-in-duckdb.md'), 'utf8')

test('docs/sql-in-duckdb.md has the settings and macros of the dialect, ready to paste', () => {
  const [, block = ''] = /\n\n((?: {7}.*\n)+)/.exec(page) ?? []
  const trimmed = (text: string) => text.split('\n').map(line => line.trim())
  expect(trimmed(block.trimEnd())).toEqual(dialect.flatMap(statement => trimmed(`${statement};`)))
})
