import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { EDITION } from '#core/lake/model/edition'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')

test('docs/formats.md names the edition of today', () => {
  expect(read('docs/formats.md')).toContain(`(\`core/lake/model/edition.ts\`, today ${EDITION})`)
})

test('test/fixtures/README.md has a row for the folder of each edition', () => {
  const editions = readdirSync(resolve(root, 'test/fixtures/editions'))
  const rows = [...read('test/fixtures/README.md').matchAll(/^\| `editions\/(\d+)\/data` \|/gm)]
  expect(rows.map(([, edition]) => edition)).toEqual(editions.toSorted())
})
