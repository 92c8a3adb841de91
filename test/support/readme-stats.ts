import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Returns the response that README.md shows below its first command. `…` stands for the rest of a list. */
export function readmeStats(): { totals: unknown } {
  const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')
  const block = /^ {4}\{\n(?: {4}.*\n)+/m.exec(readme)?.[0]
  if (block === undefined) throw new Error('README.md shows no response.')
  return JSON.parse(block.replaceAll(', …]', ']'))
}
