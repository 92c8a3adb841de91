import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const CACHE = join(MODULES, '.cache/footfall')
const NODE_ARCHITECTURE = { arm64: 'arm64', x86_64: 'x64' } as const

/** The processor of a deployed function. */
export type Architecture = 'arm64' | 'x86_64'

/** An entry of package-lock.json. `integrity` is `sha512-` and the hash of the tarball in base64. */
export type LockedPackage = { version: string; integrity: string }

/** The npm package of DuckDB's native library for a function of this architecture. */
export function addonPackage(architecture: Architecture): string {
  return `@duckdb/node-bindings-linux-${NODE_ARCHITECTURE[architecture]}`
}

/** Where the bundle of a function has that package. */
export function addonFolder(bundle: string, architecture: Architecture): string {
  return join(bundle, 'node_modules', addonPackage(architecture))
}

/**
 * Copies the addon's package into `<folder>/node_modules`. npm installs only the package for its own machine.
 * Another one is fetched from the registry, in the version and with the hash of package-lock.json, and cached
 * in node_modules/.cache. Throws when the package cannot be fetched.
 */
export async function copyAddon(folder: string, architecture: Architecture): Promise<void> {
  const name = addonPackage(architecture)
  const lockedPackage = await readLockedPackage(name)
  const installed = join(MODULES, name)
  const source =
    (await readVersion(installed)) === lockedPackage.version
      ? installed
      : await fetchPackage(name, lockedPackage, CACHE)
  await cp(source, addonFolder(folder, architecture), { recursive: true })
}

async function readLockedPackage(name: string): Promise<LockedPackage> {
  const { packages } = await readJson<{ packages: Record<string, LockedPackage> }>(
    join(ROOT, 'package-lock.json'),
  )
  const lockedPackage = packages[`node_modules/${name}`]
  if (lockedPackage === undefined) throw new Error(`package-lock.json does not have ${name}`)
  return lockedPackage
}

/** Returns the version of the package in a folder, or null when there is none. */
async function readVersion(folder: string): Promise<string | null> {
  try {
    return (await readJson<{ version: string }>(join(folder, 'package.json'))).version
  } catch {
    return null
  }
}

/**
 * Returns the folder of the package in `cache`, and fetches the package first when it is not there. Throws
 * when the hash of the registry's tarball differs from package-lock.json, and keeps nothing of that tarball.
 */
export async function fetchPackage(
  name: string,
  { version, integrity }: LockedPackage,
  cache: string,
): Promise<string> {
  const folder = join(cache, `${name.slice(name.indexOf('/') + 1)}-${version}`)
  if ((await readVersion(folder)) === version) return folder
  await mkdir(cache, { recursive: true })
  const workFolder = await mkdtemp(join(cache, 'fetch-'))
  try {
    const { stdout } = await run(
      'npm',
      ['pack', `${name}@${version}`, '--json', '--pack-destination', workFolder],
      {
        cwd: ROOT,
        shell: process.platform === 'win32',
      },
    )
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
    const tarball = join(workFolder, filename)
    const hash = createHash('sha512').update(await readFile(tarball))
    if (`sha512-${hash.digest('base64')}` !== integrity) {
      throw new Error(`${name}@${version} of the registry is not the one in package-lock.json`)
    }
    await run('tar', ['-xzf', tarball, '-C', workFolder])
    await rename(join(workFolder, 'package'), folder).catch(async error => {
      // Another process has fetched the same package in the meantime. That is fine.
      if ((await readVersion(folder)) !== version) throw error
    })
    return folder
  } finally {
    await rm(workFolder, { recursive: true, force: true })
  }
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8'))
}
