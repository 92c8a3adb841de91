import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export type SourceFile = { /** From the root of the repository, with `/`. */ path: string; text: string }

type Rule = {
  /** Files of the repository that the room may import, its own included. */
  files: RegExp
  /** npm packages that it may import; null: any. */
  packages: RegExp | null
  /** npm packages of which it may name types, which are gone when the code runs. */
  types?: RegExp
  /** Built-in modules of Node that it may import; null: any. */
  builtins: RegExp | null
  /** What must not stand in its code, with the reason. */
  never?: Record<string, RegExp>
}

const NONE = /^$/

/** What each room may see (design.md, Folders). A folder, or file of the root, without a rule may not hold sources. */
const RULES: Record<string, Rule> = {
  schemas: { files: /^schemas\//, packages: /^(zod|zod-openapi)$/, builtins: NONE },
  core: {
    files: /^(schemas|core)\//,
    // Pure libraries only: no SDK, nothing that opens a file or a socket.
    packages: /^(zod|electrodb|quick-lru|crawler-user-agents|hyparquet-writer)$/,
    // ElectroDB is given its client; only the name of the client's type is needed.
    types: /^@aws-sdk\/lib-dynamodb$/,
    builtins: /^node:(crypto|zlib|buffer|util|timers\/promises)$/,
    never: {
      'reads the environment': /\bprocess\./,
      'has a clock of its own': /\bDate\.now\(|\bnew Date\(\)/,
    },
  },
  duckdb: { files: /^(schemas|core|duckdb)\//, packages: null, builtins: null },
  aws: { files: /^(schemas|core|aws)\//, packages: null, builtins: null },
  // The functions without their AWS wiring, so that one machine never loads the SDKs.
  local: {
    files:
      /^(schemas|core|duckdb|local)\/|^tracker\/build\.ts$|^lambdas\/([\w-]+|chain\/[\w-]+|[\w-]+\/handler)\.ts$/,
    packages: null,
    builtins: null,
  },
  lambdas: {
    files: /^(schemas|core|lambdas)\//,
    packages: null,
    builtins: /^node:(crypto|zlib|buffer|util)$/,
    never: { 'reads the environment': /\bprocess\./ },
  },
  lib: { files: /^(schemas|lib)\/|^tracker\/build\.ts$/, packages: null, builtins: null },
  bin: { files: /^(schemas|lib)\//, packages: null, builtins: null },
  // The calculator takes its figures from the settings of the code.
  cost: {
    files: /^(schemas|core|lib|cost)\/|^aws\/maintenance-settings\.ts$/,
    packages: /^zod$/,
    builtins: /^node:(fs|util)$/,
  },
  tracker: { files: /^(schemas|tracker)\//, packages: NONE, builtins: NONE },
  dashboard: { files: /^(schemas|dashboard)\//, packages: null, builtins: NONE },
  cli: { files: /^(schemas|cli)\//, packages: null, builtins: null },
  bench: {
    files: /^(schemas|core|duckdb|local|lambdas|lib|bench)\//,
    packages: /^@duckdb\/node-api$/,
    builtins: null,
  },
  // It deploys and asks as an owner does, so that it sees no handler and nothing of one machine.
  rehearsal: {
    files: /^(schemas|core|aws|rehearsal)\/|^test\/(support|trino)\//,
    packages: /^@aws-sdk\//,
    builtins: null,
  },
  // A benchmark is run by hand; what a test needs of it belongs to test/support.
  test: {
    files: /^(schemas|core|duckdb|aws|local|lambdas|lib|cost|tracker|cli|dashboard|rehearsal|test)\//,
    packages: null,
    builtins: null,
  },
  'vitest.config.ts': { files: NONE, packages: /^vitest$/, builtins: NONE },
}

/** What builds the tracker runs in Node, unlike the rest of its folder. */
const BUILD: Rule = { files: /^(schemas|tracker)\//, packages: /^esbuild$/, builtins: null }

/** The bindings of a function on AWS see aws/; those of the workers also DuckDB. */
const BINDING: Rule = { files: /^(schemas|core|lambdas|aws|duckdb)\//, packages: null, builtins: null }

/** Every TypeScript source below `root`, ours and whole: not what is installed or built. */
export function sourcesBelow(root: string): SourceFile[] {
  const exclude = ['**/node_modules/**', 'build/**', 'cdk.out/**']
  const paths = globSync('**/*.{ts,mts,cts,tsx}', { cwd: root, exclude })
  return paths.map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Every import and every word that the rules do not allow, as `file: reason`. */
export function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const rule = ruleOf(path)
    if (rule === undefined) return [`${path}: no rule for the folder`]
    const code = withoutComments(text)
    const arrows = importsOf(code).filter(arrow => !allows(rule, path, arrow))
    const words = Object.entries(rule.never ?? {}).filter(([, pattern]) => pattern.test(code))
    return [
      ...arrows.map(({ name }) => `${path}: may not import ${name}`),
      ...words.map(([reason]) => `${path}: ${reason}`),
    ]
  })
}

function ruleOf(path: string): Rule | undefined {
  if (path === 'tracker/build.ts') return BUILD
  return /^lambdas\/[\w-]+\/index\.ts$/.test(path) ? BINDING : RULES[path.split('/')[0] ?? '']
}

type Arrow = { name: string /** `import type … from`. */; typeOnly: boolean }

function allows(rule: Rule, path: string, { name, typeOnly }: Arrow): boolean {
  if (name.startsWith('node:')) return rule.builtins === null || rule.builtins.test(name)
  const file = name.startsWith('#')
    ? `${name.slice(1)}.ts`
    : name.startsWith('.')
      ? posix.join(posix.dirname(path), name)
      : null
  if (file !== null) return rule.files.test(file)
  const [scope = '', rest] = name.split('/')
  const packageName = scope.startsWith('@') ? `${scope}/${rest}` : scope
  if (typeOnly && rule.types?.test(packageName)) return true
  return rule.packages === null || rule.packages.test(packageName)
}

/** All module names: static, re-exported, for their side effects, as types, dynamic, and by require. */
function importsOf(code: string): Arrow[] {
  const pattern =
    /(\bimport\s+type\s[^'"]*?)?\bfrom\s*(['"])([^'"\s]+)\2|\bimport\s*\(?\s*(['"])([^'"\s]+)\4|\brequire\w*\s*\(\s*(['"])([^'"\s]+)\6/g
  return [...code.matchAll(pattern)].map(match => ({
    name: match[3] ?? match[5] ?? match[7] ?? '',
    typeOnly: match[1] !== undefined,
  }))
}

/** Good enough for our own sources: a `//` inside a text is kept when a colon stands before it, as in https://. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1')
}
