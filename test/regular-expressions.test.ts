import { resolve } from 'node:path'
import crawlers from 'crawler-user-agents'
import { list as isbotPatterns } from 'isbot'
import { expect, test } from 'vitest'
import { regexes } from 'zod'
import { createBotClassifier } from '#core/ingest/bots'
import { sourcesBelow } from '#scripts/imports'
import { type Expression, expressionsIn } from './regular-expressions.ts'
import { superLinearParts } from './super-linear.ts'

const expressions = expressionsIn(sourcesBelow(resolve(import.meta.dirname, '..')))

/**
 * Files that make expressions at run time, with the place that their parts come from. Text of a stranger is
 * never a part, except as `escapePattern` and the like give it back: letters that stand for themselves.
 */
const BUILT: Record<string, string> = {
  'core/ingest/bots.ts': 'patterns of packages, judged below',
  'core/ingest/ids.ts': 'constants of the file',
  'core/projects/bounded-records.ts': 'prefixes of our ids, in its calls',
  'scanner/advise/plan-of-element.ts': 'the name of a plan, escaped',
  'scanner/read/about.ts': 'our words in scanner/read/words/, for texts of 400 characters',
  'core/replays/script-version.ts': 'a constant of the file',
  'lib/bundles.ts': 'names of packages in package.json',
  'lib/concurrency.ts': 'names of our limits',
  'lib/restore/service-resources.ts': 'paths of our stack',
  'duckdb/reads/file-lists.ts': 'names of our tables',
  'duckdb/reads/query-engine.ts': 'names of our tables',
  'providers/chromium/group-memory.ts': 'names of fields in its calls',
  'replay/masking/typed-values.ts': 'what a person has typed, escaped: alternatives without repetitions',
  'schemas/query.ts': 'names of metrics and fields',
}

/** Expressions that may be slow as they stand, with the reason that they are not. Each has a test by size. */
const BOUNDED: Record<string, string> = {
  'replay/viewer/sanitize/sanitize-styles.ts: a repetition can read one text in two ways':
    'the repetition of NAME_CHARS is its end, so no attempt fails after the first character',
  'tracker/address.ts: [^\\s?#]* begins again at each character':
    'QUERY reads 1,000 characters (ERROR_CHARS)',
  'tracker/address.ts: [^\\s?#]* begins again inside of its own match': 'the same',
  'tracker/address.ts: \\w* begins again inside of its own match':
    'SECRET reads 1,000 characters (ERROR_CHARS)',
}

test('no expression of the product takes more than linear time', () => {
  expect(expressions.length).toBeGreaterThan(500)
  const problems = expressions.flatMap(problemsOf)
  const known = problems.filter(({ file, part }) => `${file}: ${part}` in BOUNDED)
  expect(known).toHaveLength(Object.keys(BOUNDED).length)
  expect(
    problems.filter(each => !known.includes(each)).map(({ place, part }) => `${place}: ${part}`),
    'Rewrite the expression so that no repetition can read what another one, or an earlier attempt, has read:\n' +
      'exclude the first character of what stands before it, begin with ^ or (?<!…), let a missing end match\n' +
      'too, or split the text first.',
  ).toEqual([])
})

test('expressions are built at run time in known files only, and not from text of strangers', () => {
  const files = new Set(expressions.filter(({ isBuilt }) => isBuilt).map(({ file }) => file))
  expect(
    [...files].toSorted(),
    'Compare texts without an expression, or name in BUILT where the parts come from.',
  ).toEqual(Object.keys(BUILT).toSorted())
})

/**
 * Patterns of packages for a User-Agent. Slow ones are allowed: core/ingest/bots.ts reads 1,024 characters.
 */
const SLOW_PATTERNS = [
  'ContextualBot[\\s\\S]*outcomes\\.net',
  'Current[\\s\\S]*RSS Reader',
  'Spider[\\s\\S]*spider\\.com',
]

test('patterns of the lists of bots are linear, except three', () => {
  const patterns = [...(crawlers as { pattern: string }[]).map(({ pattern }) => pattern), ...isbotPatterns]
  expect(patterns.length).toBeGreaterThan(500)
  expect(patterns.filter(pattern => superLinearParts(pattern, 'i').length > 0)).toEqual(SLOW_PATTERNS)
})

test.each(['ContextualBot', 'Current', 'Spider ', 'Spider_', 'a', '1.', 'Mozilla/5.0 ('])(
  'a User-Agent of a million characters `%s` is classified',
  text => {
    const classify = createBotClassifier()
    const agent = text.repeat(1_000_000 / text.length)
    expect(classify(agent)).toEqual(classify(agent.slice(0, 1_024)))
  },
)

test('expressions of zod are linear', () => {
  const found = Object.entries(regexes).filter(
    ([, value]) => value instanceof RegExp && superLinearParts(value.source, value.flags).length > 0,
  )
  expect(found).toEqual([])
})

test.each([
  // Those of the issue.
  /\s+$/,
  /\s*#.*$/gm,
  /\s+(?:(?:Ctrl|Cmd)\s?\+?\s?\p{L}|\/)\s*$/u,
  /<loc>\s*(?:<!\[CDATA\[)?\s*([^<]+?)\s*(?:\]\]>)?\s*<\/loc>/g,
  /<a\s[^>]*?href\s*=\s*"([^"]*)"/gi,
  /\/+$/,
  // Within one attempt.
  /^(a+)+$/,
  /^(?:a|a)*$/,
  /^(?:ab|a|b)*$/,
  /^(?:a{1,2})*$/,
  /^(?:\w|\\x|[\d.])+!/,
  /^\w*\s*\w*$/,
  /^"?\s*\[?\s*x/,
  // From each start.
  /\s*x/,
  /<!--[\s\S]*?-->/g,
  /"(?:[^"\\\n]|\\.)*"/,
  /^import\b[^'"]*['"]/gm,
  /(\/[^\s?#]{0,2000})[?#]/g,
  /key\w*=/,
  /(?=\w*!)./,
  /x(?<=a.*)b/,
])('%s is slow', pattern => {
  expect(superLinearParts(pattern.source, pattern.flags)).not.toEqual([])
})

test.each([
  /^\s+x/,
  /(?<!\s)\s+$/,
  /\s+/g,
  /<[^<>]*>/g,
  /^\s*#.*$/,
  /(?:^|,)x*;/,
  /"(?:[^"\\\n]|\\[\s\S])*"?/g,
  /\/\*[\s\S]*?(?:\*\/|$)/g,
  /\s+x/y,
  /\b\w+=/,
  /(?<![\w-])(?=[\w-]*[a-z])[\w-]{43}(?![\w-])/g,
  /^[a-z]+(\.[a-z]+)*$/,
  /^ *x/gm,
  /^(?:'[^']*'|[^'])*$/,
  /^(?:\.[a-z]{1,63})+$/,
  /^(?:\d{2}-)*\d/,
])('%s is linear', pattern => {
  expect(superLinearParts(pattern.source, pattern.flags)).toEqual([])
})

test('expressions are found in literals, calls and JSX, with the text of a template', () => {
  const text = [
    'const a = /x\\/y/gi',
    `const b = [new RegExp(\`a\${b}c\`, 'u'), RegExp(c)]`,
    'const c = <p title={d.replace(/e/, "")}>{1 / 2}</p> // and /f/',
  ].join('\n')
  const files = [
    { path: 'cli/a.tsx', text },
    { path: 'test/a.ts', text: 'export const x = /y/' },
  ]
  const found = expressionsIn(files).map(({ line, source, flags, isBuilt }) => [line, source, flags, isBuilt])
  expect(found).toEqual([
    [1, 'x\\/y', 'gi', false],
    [2, 'a1c', 'u', true],
    [2, null, '', true],
    [3, 'e', '', false],
  ])
})

function problemsOf({ file, line, code, source, flags }: Expression) {
  const parts = source === null ? [] : superLinearParts(source, flags)
  return parts.map(part => ({ file, place: `${file}:${line} ${code}`, part }))
}
