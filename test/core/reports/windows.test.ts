import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/** All sources that have statements, by their paths. */
function sources(): string[] {
  return ['core', 'duckdb', 'local', 'aws'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts'))
      .map(path => join(folder, path)),
  )
}

// docs/decisions/2026-11-23-windows-without-order.md
test('no statement has a window over all rows without an order', () => {
  const withWindow = sources().filter(path => /OVER\s*\(\s*\)/.test(readFileSync(join(ROOT, path), 'utf8')))
  expect(withWindow).toEqual([])
})
