import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { bundleFunctions } from './bundles.ts'
import { options } from './config.ts'
import type { Architecture } from './duckdb-addon.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where `npm run build:cdk` writes the package that `npm pack ./build/cdk` packs. */
const FOLDER = join(ROOT, 'build/cdk')

export type Package = {
  name: string
  version: string
  license: string
  devDependencies: Record<string, string>
}

/**
 * Builds the package with the construct of lib/footfall.ts: its code in one file, its types, and the bundles
 * of the functions for one processor, which have DuckDB's library of 63 MB twice. An app brings the CDK.
 */
export async function buildPackage(
  { name, version, license, devDependencies }: Package,
  { folder = FOLDER, architecture = 'arm64' }: { folder?: string; architecture?: Architecture } = {},
): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await bundleFunctions(join(folder, 'functions', architecture), { architecture })
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['lib/footfall.ts'],
    outfile: join(folder, 'cdk.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    external: ['aws-cdk-lib', 'constructs'],
    logLevel: 'warning',
  })
  await writeFile(join(folder, 'cdk.d.ts'), declarations())
  const manifest = {
    ...{ name, version, license, type: 'module', engines: { node: '>=22' } },
    description: 'The AWS stack of Footfall for your own CDK app',
    exports: { './cdk': { types: './cdk.d.ts', default: './cdk.mjs' } },
    peerDependencies: {
      'aws-cdk-lib': `^${devDependencies['aws-cdk-lib']}`,
      constructs: `^${devDependencies.constructs}`,
    },
    files: ['cdk.mjs', 'cdk.d.ts', 'functions'],
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return folder
}

/** The types of the package. Those of lib/ import by names that only this repository knows. */
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
  const { values } = parseArgs({ options: { architecture: { type: 'string', default: 'arm64' } } })
  const { default: manifest } = await import('../package.json', { with: { type: 'json' } })
  const architecture = values.architecture === 'x86_64' ? 'x86_64' : 'arm64'
  console.log(await buildPackage(manifest, { architecture }))
}
