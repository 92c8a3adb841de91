import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Architecture } from './bundles.ts'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const CACHE = join(MODULES, '.cache/footfall')
const NODE_ARCHITECTURE = { arm64: 'arm64', x86_64: 'x64' } as const

/** A package as package-lock.json has it; `integrity` is `sha512-` and the hash of its tarball in base64. */
export type Locked = { version: string; integrity: string }

/** The npm package of DuckDB's native library for a function of that architecture. */
export function addonPackage(architecture: Architecture): string {
  return `@duckdb/node-bindings-linux-${NODE_ARCHITECTURE[architecture]}`
}

/**
 * Copies the addon's package into `<folder>/node_modules`. npm installs only that of the machine it runs on; the other
 * is fetched from the registry in the version of package-lock.json, checked against its hash there, and kept in
 * node_modules/.cache. Throws when it cannot be had.
 */
export async function copyAddon(folder: string, architecture: Architecture): Promise<void> {
  const name = addonPackage(architecture)
  const locked = await lockedPackage(name)
  const installed = join(MODULES, name)
  const from =
    (await versionOf(installed)) === locked.version ? installed : await fetchPackage(name, locked, CACHE)
  await cp(from, join(folder, 'node_modules', name), { recursive: true })
}

async function lockedPackage(name: string): Promise<Locked> {
  const { packages } = await readJson<{ packages: Record<string, Locked> }>(join(ROOT, 'package-lock.json'))
  const locked = packages[`node_modules/${name}`]
  if (locked === undefined) throw new Error(`package-lock.json does not have ${name}`)
  return locked
}

/** The version of the package in a folder; null when there is none. */
async function versionOf(folder: string): Promise<string | null> {
  try {
    return (await readJson<{ version: string }>(join(folder, 'package.json'))).version
  } catch {
    return null
  }
}

/**
 * The folder of the package in `cache`, fetched where it is not there yet. Throws when the registry gives another tarball
 * than the locked one; then nothing of it is kept.
 */
export async function fetchPackage(
  name: string,
  { version, integrity }: Locked,
  cache: string,
): Promise<string> {
  const folder = join(cache, `${name.slice(name.indexOf('/') + 1)}-${version}`)
  if ((await versionOf(folder)) === version) return folder
  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(join(cache, 'fetch-'))
  try {
    const { stdout } = await run(
      'npm',
      ['pack', `${name}@${version}`, '--json', '--pack-destination', work],
      {
        cwd: ROOT,
        shell: process.platform === 'win32',
      },
    )
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
    const tarball = join(work, filename)
    const hash = createHash('sha512').update(await readFile(tarball))
    if (`sha512-${hash.digest('base64')}` !== integrity) {
      throw new Error(`${name}@${version} of the registry is not the one in package-lock.json`)
    }
    await run('tar', ['-xzf', tarball, '-C', work])
    await rename(join(work, 'package'), folder).catch(async error => {
      // Another that has fetched it at the same time was first.
      if ((await versionOf(folder)) !== version) throw error
    })
    return folder
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8'))
}
