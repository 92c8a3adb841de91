import { fileOf, type Import, importsOf, roomOf, type SourceFile, withoutComments } from '#scripts/imports'

type Rule = {
  /** Files of the repository that files of the folder may import. */
  files: RegExp
  /** npm packages that they may import. Null: all. */
  packages: RegExp | null
  /** npm packages of which they may import types, because types do not exist at run time. */
  types?: RegExp
  /** Built-in modules of Node that they may import. Null: all. */
  builtins: RegExp | null
  /** Patterns that their code must not contain, by the message of the report. */
  never?: Record<string, RegExp>
}

/**
 * The rooms of core from the ground up: a file may import its own room and those before it. A room is a
 * folder, or a file that stands alone; those of the lake are its folders. README.md shows the same order.
 */
export const CORE_ORDER: readonly string[] = [
  ...['text', 'errors.ts', 'ports.ts', 'sum.ts', 'time.ts', 'async', 'outbound', 'state', 'sql'],
  ...['secrets', 'plans'],
  ...['usage', 'accounts', 'projects', 'access', 'limits', 'ingest'],
  ...['lake/model', 'lake/consume', 'lake/erase', 'lake/compact', 'lake/read', 'lake/restore', 'identity'],
  ...['replays', 'reports', 'live', 'experiments', 'billing', 'erasure', 'deletion', 'demo', 'scans'],
  ...['exports', 'promote'],
  // They put the rooms together.
  ...['stores.ts', 'access-stores.ts'],
]

const NONE = /^$/
const CLOCK = /\bDate\.now\b|\bnew Date\(\)|\bperformance\.(now|timeOrigin)\b/
/** The next turn of the event loop (setImmediate) is no time, so it is no timer. */
const TIMER = /\b(setTimeout|setInterval)\b|\bAbortSignal\.timeout\b/

/**
 * Rules by folder, or by file of the root (README.md, How it is built). A source without a rule is reported.
 */
const RULES: Record<string, Rule> = {
  schemas: { files: /^schemas\//, packages: /^(zod|zod-openapi)$/, builtins: NONE },
  core: {
    files: /^(schemas|core|scanner)\//,
    // Only pure libraries: no SDK, and none that opens a file or a socket.
    packages:
      /^(zod|electrodb|quick-lru|crawler-user-agents|isbot|htmlparser2|hyparquet|hyparquet-writer|tldts)$/,
    // Callers pass the client of the table, so core needs only its type.
    types: /^@aws-sdk\/lib-dynamodb$/,
    builtins: /^node:(crypto|zlib|buffer|util)$/,
    never: {
      'reads the environment': /\bprocess\./,
      'has a clock of its own': CLOCK,
      'has a timer of its own': TIMER,
      'makes SQL of a text without trustedSql': /\bparams: \[\]/,
    },
  },
  // Pages in, plan out: no state, and of core only texts, waits, requests, and the two checks that no model
  // of schemas has: its examples of calls must be calls that the service takes.
  scanner: {
    files:
      /^(schemas|scanner)\/|^core\/((text|async|outbound)\/[\w-]+|errors|ports|experiments\/variants|reports\/funnel\/steps)\.ts$/,
    packages: /^(zod|htmlparser2|tldts|eld)$/,
    builtins: /^node:(crypto|zlib|buffer|util)$/,
    never: {
      'reads the environment': /\bprocess\./,
      'has a clock of its own': CLOCK,
      'has a timer of its own': TIMER,
    },
  },
  duckdb: { files: /^(schemas|core|duckdb)\//, packages: null, builtins: null },
  // What both deployments use: clients of identity providers, of the payment provider and of other servers,
  // and the clock of the machine.
  providers: {
    files: /^(schemas|core|scanner|providers)\//,
    packages:
      /^(openid-client|p-limit|stripe|zod|@aws-sdk\/client-bedrock-runtime|@smithy\/node-http-handler)$/,
    builtins: null,
  },
  aws: { files: /^(schemas|core|scanner|aws|providers)\//, packages: null, builtins: null },
  // Handlers, but not the AWS entries of the functions, so that one machine never loads the SDKs.
  local: {
    files:
      /^(schemas|core|scanner|duckdb|local|providers)\/|^(tracker|replay|replay\/viewer|dashboard|cli)\/build\.ts$|^lambdas\/((http|chain)\/[\w-]+|[\w-]+\/handler)\.ts$/,
    packages: null,
    builtins: null,
  },
  lambdas: {
    files: /^(schemas|core|scanner|lambdas)\//,
    packages: null,
    builtins: /^node:(crypto|zlib|buffer|util)$/,
    never: {
      'reads the environment': /\bprocess\./,
      'has a clock of its own': CLOCK,
      'has a timer of its own': TIMER,
    },
  },
  lib: {
    files: /^(schemas|lib)\/|^(tracker|replay|replay\/viewer|dashboard)\/build\.ts$|^package\.json$/,
    packages: null,
    builtins: null,
  },
  // The doctor lets Athena plan the statements that the check with Trino records.
  bin: { files: /^(schemas|lib)\/|^test\/trino\/record-for-athena\.ts$/, packages: null, builtins: null },
  // It does on AWS what the rehearsal does on the emulator.
  'bin/smoke-aws.ts': {
    files: /^(schemas|lib)\/|^rehearsal\/(journeys|owner)\.ts$/,
    packages: null,
    builtins: null,
  },
  // The one program that knows both deployments: it moves the data of one to the other.
  'bin/promote.ts': {
    files: /^(schemas|core|aws|local|lib|providers)\//,
    packages: null,
    builtins: null,
  },
  // The calculator uses the settings of the code.
  cost: {
    files: /^(schemas|core|lib|cost)\/|^aws\/maintenance-settings\.ts$/,
    packages: /^zod$/,
    builtins: /^node:(fs|util)$/,
  },
  // The generated tables of the documents show routes, limits, bots and settings, and the imports of core.
  docs: { files: /^(schemas|core|local|docs)\/|^scripts\/imports\.ts$/, packages: NONE, builtins: null },
  tracker: { files: /^(schemas|tracker)\//, packages: NONE, builtins: NONE },
  replay: { files: /^(schemas|replay)\//, packages: /^@rrweb\/(record|replay)$/, builtins: NONE },
  // Types of schemas alone: the tables and their checks would be the largest part of the script.
  dashboard: { files: /^(schemas|dashboard)\//, packages: /^preact$/, types: /^zod$/, builtins: NONE },
  // The cleaning of strangers' text is the same everywhere. It is pure, and imports nothing but itself.
  cli: {
    // The macros of DuckDB are texts.
    files: /^(schemas|cli)\/|^core\/text\/[\w-]+\.ts$|^duckdb\/macros\.ts$|^package\.json$/,
    packages: /^(commander|string-width)$/,
    // The types of responses; the checks of zod would double the time of a start.
    types: /^zod$/,
    builtins: /^node:(?!process$)/,
    // Its world is a value (cli/io.ts), so that many runs share a process.
    never: {
      'reads the process': /\b(process|console)\./,
      'calls the network itself': /(?<![.\w])fetch\(/,
      'has a clock of its own': /\bDate\.now\b|\bnew Date\(\)|\btimers\/promises\b/,
    },
  },
  bench: {
    files:
      /^(schemas|core|scanner|duckdb|local|lambdas|lib|providers|bench)\/|^cli\/build\.ts$|^dashboard\/(charts\/series-drawing|build)\.ts$|^test\/(support|scans\/(corpus|sketches))\//,
    // The last ones are candidates for the dashboard, which its benchmark installs for itself.
    packages:
      /^(@aws-sdk\/client-dynamodb|@sparticuz\/chromium|esbuild|playwright-core|@duckdb\/node-api|@modelcontextprotocol\/client|gpt-tokenizer|preact|@preact\/signals|solid-js|svelte|uplot|@observablehq\/plot)$/,
    builtins: null,
  },
  // A check of the template needs the template, as the tests of lib/ make it.
  scripts: {
    files: /^scripts\/|^lib\/regions\.ts$|^test\/lib\/synthesized\.ts$/,
    packages: /^@babel\/parser$/,
    types: /^vitest$/,
    builtins: null,
  },
  // It deploys the service and sends requests as an owner does, so it needs no handler and nothing of one
  // machine. The tools of an operator are in lib/.
  rehearsal: {
    files:
      /^(schemas|core|scanner|aws|rehearsal)\/|^lib\/((find-kept|kept-resources)\.ts|(doctor|restore|smoke)\/[\w-]+\.ts)$|^test\/(support|trino)\//,
    packages: /^@aws-sdk\//,
    builtins: null,
  },
  // Tests do not import benchmarks, except the open one, whose probe is a test, and the strangers, whose
  // attackers must send what they say. Code that both need belongs to test/support.
  test: {
    files:
      /^(schemas|core|scanner|duckdb|aws|local|lambdas|lib|providers|cost|docs|tracker|replay|cli|dashboard|rehearsal|scripts|test|bench\/(agent|strangers))\//,
    packages: null,
    builtins: null,
  },
  'vitest.config.ts': { files: NONE, packages: /^vitest$/, builtins: NONE },
}

/** The build of the tracker and the check of its size run in Node, unlike the rest of its folder. */
const TRACKER_BUILD: Rule = { files: /^(schemas|tracker)\//, packages: /^(esbuild|terser)$/, builtins: null }

/** So does the build of the recorder. */
const RECORDER_BUILD: Rule = { files: /^replay\//, packages: /^esbuild$/, builtins: null }
/** The build of the dashboard runs in Node too. */
const DASHBOARD_BUILD: Rule = { files: NONE, packages: /^esbuild$/, builtins: null }
/** The build of the viewer of replays runs in Node too. */
const VIEWER_BUILD: Rule = { files: /^replay\//, packages: /^esbuild$/, builtins: null }

/** The build of the command line is no part of it. */
const CLI_BUILD: Rule = { files: /^package\.json$/, packages: /^esbuild$/, builtins: null }

/** The entry of the command line hands the process to it. */
const CLI_ENTRY: Rule = { files: /^cli\//, packages: NONE, builtins: null }

/** The AWS entry of a function may import aws, and duckdb for the workers. */
const FUNCTION_ENTRY: Rule = {
  files: /^(schemas|core|scanner|lambdas|aws|duckdb|providers)\//,
  packages: null,
  builtins: null,
}

/** Returns every import and every pattern that breaks a rule, as `file: reason`. */
export function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const rule = ruleOf(path)
    if (rule === undefined) return [`${path}: no rule for the folder`]
    const code = withoutComments(text)
    const imports = importsOf(code)
    const forbidden = imports.filter(imported => !allows(rule, path, imported))
    const upward = imports.filter(({ name }) => /^\.\..*\.tsx?$/.test(name))
    const patterns = Object.entries(rule.never ?? {}).filter(([, pattern]) => pattern.test(code))
    return [
      ...forbidden.map(({ name }) => `${path}: may not import ${name}`),
      ...patterns.map(([reason]) => `${path}: ${reason}`),
      ...(placeInCore(path) === CORE_ORDER.length ? [`${path}: its room has no place in CORE_ORDER`] : []),
      ...roomsAbove(path, imports).map(name => `${path}: may not import ${name}, which is above its room`),
      ...upward.map(({ name }) => `${path}: imports ${name} by a way up; write #folder/file`),
    ]
  })
}

/**
 * The imports of a file of core that are of a room after its own in CORE_ORDER.
 */
function roomsAbove(path: string, imports: readonly Import[]): string[] {
  const own = placeInCore(path)
  if (own === null) return []
  return imports
    .filter(({ name }) => (placeInCore(fileOf(path, name) ?? '') ?? -1) > own)
    .map(({ name }) => name)
}

/** Null outside of core. A room that has no place is above all others. */
function placeInCore(path: string): number | null {
  const room = roomOf(path)
  if (room === null) return null
  const place = CORE_ORDER.indexOf(room)
  return place === -1 ? CORE_ORDER.length : place
}

/**
 * Returns every circle of imports as a list of its files in alphabetical order. Imports of types count: they
 * show that neither file can be read without the other.
 */
export function importCircles(files: readonly SourceFile[]): string[][] {
  const importsByPath = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(withoutComments(text)).flatMap(({ name }) => fileOf(path, name) ?? []),
    ]),
  )
  // A file is in a circle with all files that it reaches and that reach it.
  const reachedFrom = new Map(files.map(({ path }) => [path, reach(path, importsByPath)]))
  return files.flatMap(({ path }) => {
    const reached = [...(reachedFrom.get(path) ?? [])]
    const circle = reached.filter(other => reachedFrom.get(other)?.has(path)).toSorted()
    return circle[0] === path ? [circle] : []
  })
}

/**
 * All files that a file imports, and those that they import. The file itself is one of them only if a way
 * leads back to it.
 */
function reach(path: string, importsByPath: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>()
  const waiting = [path]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const unseen = (importsByPath.get(next) ?? []).filter(file => !reached.has(file))
    for (const file of unseen) reached.add(file)
    waiting.push(...unseen)
  }
  return reached
}

/**
 * The npm packages that a program loads at run time. The program is `entries` and every file that these
 * import, directly or not. Imports of types do not count.
 */
export function packagesReached(files: readonly SourceFile[], entries: readonly string[]): string[] {
  const imports = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(withoutComments(text)).filter(({ isTypeOnly }) => !isTypeOnly),
    ]),
  )
  const importsByPath = new Map(
    [...imports].map(([path, found]) => [path, found.flatMap(({ name }) => fileOf(path, name) ?? [])]),
  )
  const reached = new Set(entries.flatMap(entry => [entry, ...reach(entry, importsByPath)]))
  const names = [...reached].flatMap(path => imports.get(path) ?? []).map(({ name }) => name)
  const packages = names.filter(name => !name.startsWith('node:') && fileOf('x', name) === null)
  return [...new Set(packages.map(packageOf))].toSorted()
}

/** The package of an import: `@duckdb/node-api/lib/x` is of `@duckdb/node-api`. */
function packageOf(name: string): string {
  const [scope = '', rest] = name.split('/')
  return scope.startsWith('@') ? `${scope}/${rest}` : scope
}

function ruleOf(path: string): Rule | undefined {
  if (/^tracker\/(build|sizes)\.ts$/.test(path)) return TRACKER_BUILD
  if (/^replay\/(build|rrweb-in-slices)\.ts$/.test(path)) return RECORDER_BUILD
  if (path === 'dashboard/build.ts') return DASHBOARD_BUILD
  if (path === 'replay/viewer/build.ts') return VIEWER_BUILD
  if (path === 'cli/build.ts') return CLI_BUILD
  if (path === 'cli/entry.ts') return CLI_ENTRY
  return /^lambdas\/[\w-]+\/index\.ts$/.test(path)
    ? FUNCTION_ENTRY
    : (RULES[path] ?? RULES[path.split('/')[0] ?? ''])
}

function allows(rule: Rule, path: string, { name, isTypeOnly }: Import): boolean {
  if (name.startsWith('node:')) return rule.builtins === null || rule.builtins.test(name)
  const file = fileOf(path, name)
  if (file !== null) return rule.files.test(file)
  const packageName = packageOf(name)
  if (isTypeOnly && rule.types?.test(packageName)) return true
  return rule.packages === null || rule.packages.test(packageName)
}
