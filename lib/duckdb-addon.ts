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

type Locked = { version: string; integrity: string }

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
  const from = (await versionOf(installed)) === locked.version ? installed : await fetched(name, locked)
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

async function fetched(name: string, { version, integrity }: Locked): Promise<string> {
  const folder = join(CACHE, `${name.slice(name.indexOf('/') + 1)}-${version}`)
  if ((await versionOf(folder)) === version) return folder
  await mkdir(CACHE, { recursive: true })
  const work = await mkdtemp(join(CACHE, 'fetch-'))
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
    // Two that fetch at the same time fetch the same.
    await rm(folder, { recursive: true, force: true })
    await rename(join(work, 'package'), folder)
    return folder
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8'))
}
