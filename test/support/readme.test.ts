import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

test('the README names builders that exist', () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const named = [...readme.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(10)
  const missing = named.filter(
    name => !existsSync(join(import.meta.dirname, name)) && !existsSync(join(ROOT, name)),
  )
  expect(missing).toEqual([])
})
