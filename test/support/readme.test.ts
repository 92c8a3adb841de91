import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('the README lists every file of this folder, and no other', () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const listed = [...readme.matchAll(/^\| `([\w.-]+\.ts)` \|/gm)].map(([, name]) => name)
  const files = readdirSync(import.meta.dirname).filter(name => name.endsWith('.ts'))
  expect(listed).toEqual(files.toSorted())
})
