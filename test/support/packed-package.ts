import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Architecture } from '#lib/duckdb-addon'
import { buildPackage } from '#local/build-package'
import { onceARun } from '#test/setup/once-a-run'

const ROOT = resolve(import.meta.dirname, '../..')

/** That of this machine, so that DuckDB's library is in node_modules already. */
export const PACKED_ARCHITECTURE: Architecture = process.arch === 'x64' ? 'x86_64' : 'arm64'

/** Packs this repository by `npm pack`. Returns the path of the tarball, which all tests of the run share. */
export async function packedPackage(): Promise<string> {
  const folder = await onceARun('packed', destination => pack(ROOT, destination))
  return join(folder, 'footfall-0.1.0.tgz')
}

/** Builds and packs the service. Returns the path of the tarball, which all tests of the run share. */
export async function packedService(): Promise<string> {
  const folder = await onceARun('packed-service', async destination =>
    pack(await buildPackage(join(destination, 'built')), destination),
  )
  return join(folder, 'footfall-service-0.1.0.tgz')
}

/** What npm says about the tarball is in `packed.json` beside it. */
async function pack(folder: string, destination: string): Promise<void> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', destination], {
    cwd: folder,
    env: { ...process.env, FOOTFALL_ARCHITECTURE: PACKED_ARCHITECTURE },
    maxBuffer: 10_000_000,
  })
  writeFileSync(join(destination, 'packed.json'), stdout)
}
