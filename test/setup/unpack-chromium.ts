import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import { type Chromium, unpackChromium as unpack } from '#providers/chromium/unpack-chromium'
import { onceARun } from './once-a-run.ts'

/** The folder of the npm package with the packed files. The package exports only its code. */
const PACKAGE = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..')

/**
 * Returns the Chromium of @sparticuz/chromium. The first run of a user unpacks it, and later runs find it
 * there. The package is for Linux on x64; elsewhere, CHROMIUM_PATH names an installed Chromium.
 */
export async function unpackChromium(): Promise<Chromium> {
  const installed = process.env.CHROMIUM_PATH
  return installed ? { executable: installed, env: {} } : (await unpackedChromium()).chromium
}

/** The unpacked Chromium of the package with its folder and version. */
export async function unpackedChromium() {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  const home = join(inject('cacheFolder'), `footfall-chromium-${version}-${userInfo().uid}`)
  const packed = join(PACKAGE, 'bin')
  if (!existsSync(home)) await onceARun('chromium', async () => void (await unpack(packed, home)))
  return { chromium: await unpack(packed, home), home, version: String(version) }
}
