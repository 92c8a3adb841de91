import { mkdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** What the package's `bin` names. */
const FOLDER = resolve(ROOT, 'build/cli')

/**
 * Modules of Node by `require`. An import reads each of their exports at the start, and those of node:http
 * and node:fs then load parts that no command needs: a third of the time of `--version`.
 */
const requireBuiltins: Plugin = {
  name: 'require-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : { path, external: true },
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Builds the command line as one file, which needs no packages. Returns the path of the file. */
export async function buildCommandLine(folder = FOLDER): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const outfile = resolve(folder, 'footfall.mjs')
  await build({
    entryPoints: [resolve(ROOT, 'cli/entry.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    charset: 'utf8',
    logLevel: 'warning',
    plugins: [requireBuiltins],
    banner: {
      // commander is a CommonJS package, and it requires modules of Node.
      js: "#!/usr/bin/env node\nimport { createRequire as __footfallRequire } from 'node:module'; const require = __footfallRequire(import.meta.url);",
    },
  })
  return outfile
}

// npm prints what it packed to stdout.
if (import.meta.main) console.error(await buildCommandLine())
