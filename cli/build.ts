import { mkdir, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import manifest from '../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where `npm run build:cli` writes the package that `npm pack ./build/cli` packs. */
const FOLDER = resolve(ROOT, 'build/cli')

/**
 * Builds the command line as one file, with a manifest that has no dependencies. Returns the path of the
 * file.
 */
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
  const { name, version, description, license } = manifest
  const packed = {
    ...{ name, version, description, license, type: 'module', engines: { node: '>=20' } },
    ...{ bin: { footfall: './footfall.mjs' }, files: ['footfall.mjs'] },
  }
  await writeFile(resolve(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
  return outfile
}

if (import.meta.main) process.stdout.write(`${await buildCommandLine()}\n`)
