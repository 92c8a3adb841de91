import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bundles, bundleFunctions } from '#lib/bundles'
import { functionsWithDuckdb } from '#lib/shared-addon'
import { onceARun } from '#test/setup/once-a-run'

/**
 * Returns the bundles of all functions, for the processor of this machine. They are built once for all test
 * files of a run.
 */
export async function builtBundles(): Promise<Bundles> {
  const folder = await onceARun('bundles', async target => {
    await writeFile(join(target, 'bundles.json'), JSON.stringify(await buildBundles(target)))
  })
  return JSON.parse(await readFile(join(folder, 'bundles.json'), 'utf8'))
}

/**
 * Builds the bundles into `folder`, for the processor of this machine. Those of reads have DuckDB's library
 * too, as with `reads=auto`.
 */
export function buildBundles(folder: string): Promise<Bundles> {
  return bundleFunctions(folder, {
    architecture: process.arch === 'arm64' ? 'arm64' : 'x86_64',
    withDuckdb: functionsWithDuckdb({ reads: 'auto' }),
  })
}
