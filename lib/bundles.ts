import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type OutputFile, type Plugin } from 'esbuild'
import { type FunctionName, functions } from '#schemas/functions'
import { buildTracker } from '#tracker/build'
import { addonPackage, copyAddon } from './duckdb-addon.ts'

export type Architecture = 'arm64' | 'x86_64'

/** What a function is deployed from: the folder of its code, whose handler is `index.handler`. */
export type Bundle = {
  folder: string
  /** Size of index.mjs, without its source map and without DuckDB's library. */
  bytes: number
}

export type Bundles = Record<FunctionName, Bundle>

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Nothing is written there: the paths in the source maps are relative to it. */
const NOWHERE = join(ROOT, 'bundles')

/** CommonJS packages ask for built-in modules by `require`, which a module does not have by itself. */
const BANNER =
  "import{createRequire as __require_of}from'node:module';const require=__require_of(import.meta.url);"

/**
 * Bundles every function of lambdas/ into `<outDir>/<name>`, replacing what is there: index.mjs with the SDK inside, for
 * Node 24, with its source map; beside it what the function reads as a file (DuckDB's library, the tracker). The same
 * sources give the same bytes wherever they lie, so that deploying again changes nothing.
 */
export async function bundleFunctions(
  outDir: string,
  { architecture = 'arm64' }: { architecture?: Architecture } = {},
): Promise<Bundles> {
  const names = Object.keys(functions) as FunctionName[]
  const code = await compiled(names, architecture)
  const bundles = names.map(async name => {
    const folder = join(outDir, name)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    const files = code.filter(({ path }) => dirname(path) === join(NOWHERE, name))
    for (const { path, contents } of files) await writeFile(join(folder, basename(path)), contents)
    if (name === 'jobs') await copyAddon(folder, architecture)
    if (name === 'site') await writeFile(join(folder, 'tracker.json'), JSON.stringify(await buildTracker()))
    const bytes = files.find(({ path }) => path.endsWith('.mjs'))?.contents.length ?? 0
    return [name, { folder, bytes }]
  })
  return Object.fromEntries(await Promise.all(bundles))
}

/** `<NOWHERE>/<name>/index.mjs` of each function and its source map. One build: what several share is read once. */
async function compiled(names: readonly FunctionName[], architecture: Architecture): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: names.map(name => ({ in: `lambdas/${name}/index.ts`, out: `${name}/index` })),
    outdir: NOWHERE,
    outExtension: { '.js': '.mjs' },
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The modules of a package rather than its CommonJS: only they are shaken.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    plugins: [nativeAddon(architecture), shortCrawlerList, lambdaCredentials, requiredBuiltins],
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  return outputFiles
}

/**
 * The list of crawlers with the two fields that core/ingest/bots.ts reads: five sixths of it are examples of user agents
 * and addresses of manuals.
 */
const shortCrawlerList: Plugin = {
  name: 'short-crawler-list',
  setup({ onLoad }) {
    onLoad({ filter: /crawler-user-agents\.json$/ }, async ({ path }) => {
      const entries: { pattern: string; tags: string[] }[] = JSON.parse(await readFile(path, 'utf8'))
      const short = entries.map(({ pattern, tags }) => ({ pattern, tags }))
      return { contents: JSON.stringify(short), loader: 'json' }
    })
  },
}

/**
 * Lambda gives a function its credentials in the environment. The SDK would bring the code of six other places to look
 * for them, clients of three services among it: 130 kB of each bundle.
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
 * A module that imports a built-in one looks at all that it exports, which loads undici with node:http: 20 to 25 ms of the
 * processor at each start. What is required is looked at when it is used.
 */
const requiredBuiltins: Plugin = {
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

/** DuckDB looks for its library by what it runs on; a bundle carries that of its architecture alone. */
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
