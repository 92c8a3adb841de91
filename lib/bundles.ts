import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type OutputFile, type Plugin } from 'esbuild'
import { buildChatView, buildDashboard } from '#dashboard/build'
import { buildRecorder } from '#replay/build'
import { buildViewer } from '#replay/viewer/build'
import { type FunctionName, functions } from '#schemas/functions'
import { buildTracker } from '#tracker/build'
import { copyBrowser } from './browser-files.ts'
import { type Architecture, addonPackage, copyAddon } from './duckdb-addon.ts'
import { DUCKDB_FUNCTIONS, READ_FUNCTIONS } from './function-sizes.ts'

/** The code of one deployed function. Its handler is `index.handler`. */
export type Bundle = {
  folder: string
  /** Size of index.mjs alone, without its source map and DuckDB's library. */
  bytes: number
}

export type Bundles = Record<FunctionName, Bundle>

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** GET /numbers.md serves this page. */
const NUMBERS = join(ROOT, 'docs/api/numbers.md')

/** The output folder that esbuild gets, for the relative paths in source maps. Nothing is written there. */
const VIRTUAL_OUTDIR = join(ROOT, 'bundles')

/** The engine of small reads, which the functions of reads load from a file of its own, or never. */
const SMALL_READS = 'duckdb/reads/query-engine.ts'
const SMALL_READS_FILE = 'query-engine.mjs'

/**
 * Defines `require`, which CommonJS packages use for built-in modules and which an ES module does not have.
 */
const BANNER =
  "import{createRequire as __require_of}from'node:module';const require=__require_of(import.meta.url);"

export type BundleOptions = {
  architecture?: Architecture
  /** Whether the function that reads pages gets the browser that renders them, 70 MB. */
  hasBrowser?: boolean
  /** The functions that get DuckDB's library, 63 MB. Default: those that always run it. */
  withDuckdb?: readonly FunctionName[]
}

/**
 * Bundles every function of lambdas/ into `<outDir>/<name>` and replaces the folder. A bundle is index.mjs
 * for Node 24, with the SDK inside, its source map, and the files that the function reads (DuckDB's library,
 * a browser, the scripts of pages, the dashboard, the view for chats). The same sources give the same bytes
 * in every folder, so that a second deployment changes nothing.
 */
export async function bundleFunctions(
  outDir: string,
  { architecture = 'arm64', hasBrowser = true, withDuckdb = DUCKDB_FUNCTIONS }: BundleOptions = {},
): Promise<Bundles> {
  const names = Object.keys(functions) as FunctionName[]
  const [outputFiles, [smallReads], dashboard] = await Promise.all([
    compileFunctions(names, architecture),
    compile([{ in: SMALL_READS, out: 'query-engine' }], architecture, { sourcemap: false }),
    buildDashboard(),
  ])
  const bundles = names.map(async name => {
    const folder = join(outDir, name)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    const files = outputFiles.filter(({ path }) => dirname(path) === join(VIRTUAL_OUTDIR, name))
    for (const { path, contents } of files) await writeFile(join(folder, basename(path)), contents)
    if (READ_FUNCTIONS.some(one => one === name))
      await writeFile(join(folder, SMALL_READS_FILE), smallReads?.contents ?? '')
    if (withDuckdb.includes(name)) await copyAddon(folder, architecture)
    if (name === 'scan' && hasBrowser) await copyBrowser(folder)
    if (name === 'site') {
      await writeFile(join(folder, 'tracker.json'), JSON.stringify(await buildTracker()))
      await writeFile(join(folder, 'viewer.json'), JSON.stringify(await buildViewer()))
      await copyFile(NUMBERS, join(folder, 'numbers.md'))
      await writeFile(join(folder, 'dashboard.json'), JSON.stringify(dashboard))
    }
    if (name === 'replay')
      await writeFile(join(folder, 'recorder.json'), JSON.stringify(await buildRecorder()))
    if (name === 'mcp') await writeFile(join(folder, 'chat-view.html'), await buildChatView())
    if (name === 'pages') await writeFile(join(folder, 'dashboard.json'), JSON.stringify(dashboard.entry))
    const bytes = files.find(({ path }) => path.endsWith('.mjs'))?.contents.length ?? 0
    return [name, { folder, bytes }]
  })
  return Object.fromEntries(await Promise.all(bundles))
}

/**
 * Returns `<VIRTUAL_OUTDIR>/<name>/index.mjs` and its source map for each function. One build for all of them
 * reads shared modules once.
 */
function compileFunctions(names: readonly FunctionName[], architecture: Architecture): Promise<OutputFile[]> {
  const entries = names.map(name => ({ in: `lambdas/${name}/index.ts`, out: `${name}/index` }))
  return compile(entries, architecture, { sourcemap: 'linked' })
}

async function compile(
  entryPoints: { in: string; out: string }[],
  architecture: Architecture,
  { sourcemap }: { sourcemap: 'linked' | false },
): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: VIRTUAL_OUTDIR,
    outExtension: { '.js': '.mjs' },
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Prefer the ES modules of a package to its CommonJS files: esbuild removes unused code only from ES
    // modules.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    sourcemap,
    sourcesContent: false,
    banner: { js: BANNER },
    plugins: [
      ...[nativeAddon(architecture), smallReadsApart, shortCrawlerList, lambdaCredentials],
      ...[withoutSchemaValidator, builtinsByRequire],
    ],
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  return outputFiles
}

/** Leaves the engine of small reads in its own file: most deployments never load it. */
const smallReadsApart: Plugin = {
  name: 'small-reads-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^#duckdb\/reads\/query-engine$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${SMALL_READS_FILE}`, external: true } : null,
    )
  },
}

/**
 * Keeps only the two fields of the crawler list that core/ingest/bots.ts reads. The rest, five sixths of the
 * list, are example user agents and links.
 */
const shortCrawlerList: Plugin = {
  name: 'short-crawler-list',
  setup({ onLoad }) {
    onLoad({ filter: /crawler-user-agents\.json$/ }, async ({ path }) => {
      const entries: { pattern: string; tags: string[] }[] = JSON.parse(await readFile(path, 'utf8'))
      const shortEntries = entries.map(({ pattern, tags }) => ({ pattern, tags }))
      return { contents: JSON.stringify(shortEntries), loader: 'json' }
    })
  },
}

/**
 * Reads credentials from the environment only, where Lambda puts them. The SDK's default also tries six other
 * sources and needs the clients of three services for that: 130 kB in each bundle.
 */
const lambdaCredentials: Plugin = {
  name: 'lambda-credentials',
  setup({ onResolve, onLoad }) {
    const name = '@aws-sdk/credential-provider-node'
    onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: 'lambda-credentials' }))
    onLoad({ filter: /./, namespace: 'lambda-credentials' }, () => ({
      contents: `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'`,
      resolveDir: ROOT,
    }))
  },
}

/**
 * Leaves out the validator of JSON Schema that the SDK of MCP uses by default, 150 kB. lambdas/mcp/ gives it
 * one of its own, and tools check their arguments by zod.
 */
const withoutSchemaValidator: Plugin = {
  name: 'without-schema-validator',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({
      path,
      namespace: 'without-schema-validator',
    }))
    onLoad({ filter: /./, namespace: 'without-schema-validator' }, () => ({
      contents: 'export class DefaultJsonSchemaValidator {}',
    }))
  },
}

/**
 * Loads built-in modules with `require`. An `import` reads every export at once, and with node:http that
 * loads undici: 20 to 25 ms of CPU time at each start. After `require`, an export is read when it is used.
 */
const builtinsByRequire: Plugin = {
  name: 'required-builtins',
  setup({ onResolve, onLoad }) {
    const names = builtinModules.join('|')
    onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'required-builtins' },
    )
    onLoad({ filter: /./, namespace: 'required-builtins' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/**
 * Points DuckDB to the native library of the target architecture, instead of the machine that builds the
 * bundle.
 */
function nativeAddon(architecture: Architecture): Plugin {
  const file = `${addonPackage(architecture)}/duckdb.node`
  return {
    name: 'native-addon',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@duckdb\/node-bindings$/ }, () => ({ path: file, namespace: 'native-addon' }))
      onResolve({ filter: /\.node$/, namespace: 'native-addon' }, () => ({ path: file, external: true }))
      onLoad({ filter: /./, namespace: 'native-addon' }, () => ({
        contents: `module.exports = require(${JSON.stringify(file)})`,
      }))
    },
  }
}
