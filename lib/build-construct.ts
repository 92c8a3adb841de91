import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleFunctions } from './bundles.ts'
import { options } from './config.ts'
import { type Architecture, addonFolder } from './duckdb-addon.ts'
import { DUCKDB_FUNCTIONS } from './function-sizes.ts'
import { SHARED_ADDON } from './shared-addon.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** What `footfall/cdk` is in the package that `npm pack` makes. */
const FOLDER = join(ROOT, 'build/cdk')

/**
 * Builds the construct of lib/footfall.ts for apps that do not have this repository: its code in one file,
 * its types, and the bundles of the functions for one processor, with DuckDB's library of 63 MB once. Returns
 * the folder.
 */
export async function buildConstruct({
  folder = FOLDER,
  architecture = 'arm64',
}: {
  folder?: string
  architecture?: Architecture
} = {}): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const functions = join(folder, 'functions', architecture)
  // The browser would triple the package, which is also that of the command line.
  await bundleFunctions(functions, { architecture, hasBrowser: false })
  await rename(addonFolder(join(functions, DUCKDB_FUNCTIONS[0]), architecture), join(functions, SHARED_ADDON))
  for (const name of DUCKDB_FUNCTIONS) await rm(join(functions, name, 'node_modules'), { recursive: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['lib/footfall.ts'],
    outfile: join(folder, 'cdk.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.11',
    external: ['aws-cdk-lib', 'constructs'],
    logLevel: 'warning',
  })
  await writeFile(join(folder, 'cdk.d.ts'), declarations())
  return folder
}

/** The types of the construct. Those of lib/ import by names that only this repository knows. */
function declarations(): string {
  const fields = options.map(
    ({ name, description }) => `  /** ${description}. */\n  readonly ${name}?: string | number | boolean\n`,
  )
  return `import type { Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/** The options of docs/aws.md. Wrong ones throw an error that names each. */
export interface FootfallProps {
${fields.join('')}}

/** The whole service as one stack. */
export declare class Footfall extends Stack {
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string
  constructor(scope: Construct, id: string, props?: FootfallProps)
}
`
}

if (import.meta.main) {
  const { FOOTFALL_ARCHITECTURE: architecture = 'arm64' } = process.env
  if (architecture !== 'arm64' && architecture !== 'x86_64')
    throw new Error(`FOOTFALL_ARCHITECTURE is ${architecture}. Use arm64 or x86_64.`)
  // npm prints what it packed to stdout.
  console.error(await buildConstruct({ architecture }))
}
