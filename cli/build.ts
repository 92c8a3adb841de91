import { mkdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** What the package's `bin` names. */
const FOLDER = resolve(ROOT, 'build/cli')

/** Builds the command line as one file, which needs no packages. Returns the path of the file. */
export async function buildCommandLine(folder = FOLDER): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const outfile = resolve(folder, 'footfall.mjs')
  await build({
    entryPoints: [resolve(ROOT, 'cli/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    charset: 'utf8',
    logLevel: 'warning',
    banner: {
      // commander is a CommonJS package, and it requires modules of Node.
      js: "#!/usr/bin/env node\nimport { createRequire as __footfallRequire } from 'node:module'; const require = __footfallRequire(import.meta.url);",
    },
  })
  return outfile
}

// npm prints what it packed to stdout.
if (import.meta.main) console.error(await buildCommandLine())
