import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { minify } from 'terser'

type Script = {
  /** The minified script. */
  code: string
  /** SHA-256 of the UTF-8 bytes of `code`, in hex, for the header X-Tracker-SHA256. */
  sha256: string
}

/** The script with everything, for GET /tracker.js. */
export type Tracker = Script & {
  /** The same in a readable form, for GET /tracker.src.js. */
  source: string
  /** The script that only counts visits, for GET /tracker.core.js. */
  core: Script
}

const ENTRY = fileURLToPath(new URL('index.ts', import.meta.url))
const OPTIONS = {
  /** The syntax level of the script. Browsers since the end of 2020 understand it. */
  target: 'es2021',
  /** A page may have any encoding, and ASCII is the same in all of them. */
  charset: 'ascii',
  logLevel: 'silent',
} as const

const BUNDLE = {
  ...OPTIONS,
  bundle: true,
  format: 'esm',
  entryPoints: [ENTRY],
  write: false,
} satisfies BuildOptions

/**
 * Builds the browser tracker from its modules. On one machine it runs for the first request of a script, and
 * for AWS when the functions are bundled. Only this file and sizes.ts run in Node; the others are for
 * browsers. Throws the error of esbuild or terser.
 */
export async function buildTracker(): Promise<Tracker> {
  const [{ source, code }, core] = [await buildScript(), await buildScript(coreParts)]
  return { ...withHash(code), source, core: withHash(core.code) }
}

/** The small script has the same modules, without what `IS_FULL` keeps from running (parts.ts). */
const coreParts: Plugin = {
  name: 'core-parts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]tracker[\\/]parts\.ts$/ }, () => ({ contents: 'export const IS_FULL = false' }))
  },
}

function withHash(code: string): Script {
  return { code, sha256: createHash('sha256').update(code).digest('hex') }
}

async function buildScript(...plugins: Plugin[]): Promise<{ source: string; code: string }> {
  const { outputFiles } = await build({ ...BUNDLE, plugins })
  const bundle = outputFiles[0]!.text
  const { code } = await minify(prepare(bundle), {
    ecma: 2020,
    toplevel: true,
    compress: {
      passes: 3,
      inline: 1,
      // `a === 'text'` stays as it is. The other way round would be 5 bytes more with gzip.
      lhs_constants: false,
      unsafe: true,
      unsafe_methods: true,
      pure_getters: true,
      keep_fargs: false,
    },
    format: { ascii_only: true },
  })
  const source = `(() => {\n${bundle}})();\n`
  return { source, code: `{${code!.replace(/;\n?$/, '')}}` }
}

/**
 * Returns the minified script without this module, to compare its size. Calls of the module stay: they call
 * functions that do not exist, so the script does not work.
 */
export async function buildWithout(module: string): Promise<string> {
  const leaveOut: Plugin = {
    name: 'leave-out',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (basename(path) !== module) return
        const names = (await readFile(path, 'utf8')).matchAll(
          /^export (?:async )?(?:function|const|let) (\w+)/gm,
        )
        return { contents: [...names].map(([, name]) => `export const ${name} = self.${name}`).join('\n') }
      })
    },
  }
  return (await buildScript(leaveOut)).code
}

/** Returns the minified size of each module, bytes, by its file name. */
export async function moduleSizes(): Promise<Record<string, number>> {
  const { metafile } = await build({ ...BUNDLE, minify: true, metafile: true, outdir: 'memory' })
  const inputs = Object.entries(Object.values(metafile.outputs)[0]!.inputs)
  return Object.fromEntries(inputs.map(([path, { bytesInOutput }]) => [basename(path), bytesInOutput]))
}

/**
 * Rewrites the bundle so that it becomes smaller, which no minifier does:
 * - Constants in upper case are replaced by their values.
 * - Functions become arrow functions. No function of the modules uses `this`, and none is called before it is
 *   defined.
 * - All variables are declared by `let`, so that neighbours become one statement.
 */
function prepare(source: string): string {
  const values = new Map<string, string>()
  const rest = source.replace(
    /^ *var ([A-Z][A-Z_]*\d*) = ([\d* e]+|true|false|"[^"]*");\n/gm,
    (_, name, value) => {
      values.set(name, value.startsWith('"') ? value : `(${value})`)
      return ''
    },
  )
  return rest
    .replace('"use strict";\n', '')
    .replace(/\b[A-Z][A-Z_]*\d*\b/g, name => values.get(name) ?? name)
    .replace(/^( *)(async )?function (\w+)\((.*)\) \{$/gm, '$1let $3 = $2($4) => {')
    .replace(/\b(const|var) /g, 'let ')
}
