import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readPages, renderPages } from './render.ts'

/**
 * Writes the generated parts of the pages below docs/ anew: `npm run docs`. test/docs/generated.test.ts
 * checks that they are fresh.
 */
const root = resolve(import.meta.dirname, '../..')
const before = new Map(readPages(root).map(({ path, text }) => [path, text]))
for (const { path, text } of renderPages(root)) {
  if (text === before.get(path)) continue
  writeFileSync(join(root, path), text)
  console.log(`wrote ${path}`)
}
