import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from './page.ts'
import { ruleIdTable } from './rule-ids.ts'
import { tables } from './tables.ts'

/**
 * A generated part of a page stands between two comments. The first one names the table and its arguments:
 * `<!-- table: routes stats query -->` … `<!-- end -->`.
 */
const GENERATED = /^<!-- table: ([\w-]+)((?: [\w-]+)*) -->\n[\s\S]*?^<!-- end -->$/gm

/**
 * Returns every page below docs/ with fresh generated parts. Throws an Error that names the page of an
 * unknown table.
 */
export function renderPages(root: string): Page[] {
  const pages = readPages(root)
  return pages.map(({ path, text }) => ({
    path,
    text: text.replace(GENERATED, (_, table: string, args: string) => {
      const names = args.split(' ').filter(name => name !== '')
      const content = table === 'rule-ids' ? ruleIdTable(pages) : tables[table]?.(names)
      if (content === undefined) throw new Error(`${path}: there is no table ${table}`)
      return `<!-- table: ${table}${args} -->\n${content}\n<!-- end -->`
    }),
  }))
}

/** Returns the pages below docs/ as they are. */
export function readPages(root: string): Page[] {
  return globSync('docs/**/*.md', { cwd: root })
    .toSorted()
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}
