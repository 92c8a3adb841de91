import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readPages } from '#docs/generate/render'
import { ruleIds } from '#docs/generate/rule-ids'
import { anchorsOf } from './anchors.ts'

/**
 * Code, tests and pages cite a page of docs/ by its path, a rule of docs/api by its id, and a source by its
 * path, from any folder on. These tests find citations that lead nowhere.
 */

const ROOT = resolve(import.meta.dirname, '../..')
const OWN = 'test/docs/citations.test.ts'
const sources = globSync(['**/*.{ts,tsx,mts,cts,cjs,md,sh,json}', '.ci/run'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**', 'build/**', 'cdk.out/**', 'package-lock.json', 'test/fixtures/**'],
}).map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

const rules = new Set(ruleIds(readPages(ROOT)).map(({ id }) => id))

/**
 * A rule id that stands alone: no part of a word, of a time such as T12:00, and no quoted value such as 'T1'.
 */
const RULE_ID = /(?<![\w'$}])[RUTD][1-9]\d{0,2}(?![\w:])/g
/** A document that is not in the repository. */
const OLD_FORM = /\b[Cc]ontract (?:\d+(?:\.\d+)?|[RUTD]\d+)/g
const PAGE = /\bdocs\/[\w/-]+(?:\.[\w-]+)*\.md(?:#([\w-]+))?/g

/** A source, in a page or a comment. A path that begins with a dot or `#` is an import. */
const SOURCE = /(?<![\w./#@*{}<>$'-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.tsx?(?![\w*])/g
/** Files of the sites that the tracker is put into. */
const OF_SITES = ['app/layout.tsx', 'nuxt.config.ts', 'pages/_document.tsx', 'plugins/footfall.ts']
/** These say what was so on their day. */
const DATED = /^(CHANGELOG\.md|docs\/decisions\/)/
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm
const knownSources = new Set(
  globSync('**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/node_modules/**', 'build/**', 'cdk.out/**'] }).flatMap(
    path => path.split('/').map((_, i, names) => names.slice(i).join('/')),
  ),
)

function deadSources({ path, text }: { path: string; text: string }): string[] {
  if (DATED.test(path) || path === OWN) return []
  const prose = path.endsWith('.md') ? text : [...text.matchAll(COMMENT)].join('\n')
  return [...prose.matchAll(SOURCE)]
    .map(([cited]) => cited)
    .filter(cited => !knownSources.has(cited) && !OF_SITES.includes(cited))
    .map(cited => `${path}: ${cited}`)
}

function deadCitations({ path, text }: { path: string; text: string }): string[] {
  const deadRules = [...text.matchAll(RULE_ID)].map(([id]) => id).filter(id => !rules.has(id))
  const deadPages = [...text.matchAll(PAGE)]
    .filter(([cited, anchor]) => !resolves(cited, anchor))
    .map(([cited]) => cited)
  const oldForms = [...text.matchAll(OLD_FORM)].map(([cited]) => cited)
  return [...deadRules, ...deadPages, ...oldForms].map(cited => `${path}: ${cited}`)
}

function resolves(cited: string, anchor: string | undefined): boolean {
  const file = join(ROOT, cited.replace(/#.*/, ''))
  if (!existsSync(file)) return false
  return anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor)
}

test('every page and every rule that code, tests and pages cite exists', () => {
  expect(sources.length).toBeGreaterThan(600)
  expect(sources.filter(({ path }) => path !== OWN).flatMap(deadCitations)).toEqual([])
})

test('every source that a comment or a page cites exists', () => {
  expect(sources.flatMap(deadSources)).toEqual([])
})

test('the check finds what it looks for', () => {
  const dead = deadCitations({
    path: 'a.ts',
    text: "/** As U999 says (R8), docs/api/funnel.md#u4, docs/api/funnel.md#u999, docs/api/nothing.md and contract 1.3. */ const at = 2026-11-23T12:00, country = 'T1'",
  })
  expect(dead).toEqual([
    'a.ts: U999',
    'a.ts: docs/api/funnel.md#u999',
    'a.ts: docs/api/nothing.md',
    'a.ts: contract 1.3',
  ])
  const text = "/** As run.ts does, and core/no-such.ts. */ import './no-such.ts' // ./near.ts, no/such.tsx"
  expect(deadSources({ path: 'a.ts', text })).toEqual(['a.ts: core/no-such.ts', 'a.ts: no/such.tsx'])
})
