import { posix } from 'node:path'
import type { Page } from './page.ts'

/** Where a rule stands: code and tests cite it by its id, such as `U49`. */
export type RuleId = { id: string; path: string; sentence: string }

/** A rule begins with its anchor and its id: `<a id="u49"></a>**U49.** …`. */
const RULE = /<a id="([rutd]\d+)"><\/a>\*\*([RUTD]\d+)\.\*\* ([\s\S]+?)[.:](?=\s)/g
/** R: every endpoint, U: one capability, T: the tracker, D: where two ways were possible. */
const LETTERS = 'RUTD'

/**
 * Returns every rule of the pages, ordered by id. Throws an Error for an id that two rules have, or with
 * another anchor.
 */
export function ruleIds(pages: readonly Page[]): RuleId[] {
  const rules = pages.flatMap(({ path, text }) =>
    [...text.matchAll(RULE)].map(([, anchor = '', id = '', sentence = '']) => {
      if (anchor !== id.toLowerCase()) throw new Error(`${path}: ${id} has the anchor ${anchor}`)
      return { id, path, sentence: sentence.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ') }
    }),
  )
  const ids = rules.map(({ id }) => id)
  const repeated = ids.find((id, i) => ids.indexOf(id) !== i)
  if (repeated !== undefined) throw new Error(`Two rules have the id ${repeated}`)
  return rules.toSorted((a, b) => order(a.id) - order(b.id))
}

/** The index of rules, for docs/api/README.md. */
export function ruleIdTable(pages: readonly Page[]): string {
  const rows = ruleIds(pages).map(({ id, path, sentence }) => {
    const link = `${posix.relative('docs/api', path)}#${id.toLowerCase()}`
    return `| [${id}](${link}) | ${sentence.replaceAll('|', '\\|')} |`
  })
  return ['| id | rule |', '| --- | --- |', ...rows].join('\n')
}

function order(id: string): number {
  return LETTERS.indexOf(id.charAt(0)) * 1_000 + Number(id.slice(1))
}
