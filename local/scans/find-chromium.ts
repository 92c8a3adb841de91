import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { remember } from '#core/async/lazily'
import { type Chromium, unpackChromium } from '#providers/chromium/unpack-chromium'

/**
 * Gives the browser that renders pages, or null: the installed one of CHROMIUM_PATH, else the one of the npm
 * package @sparticuz/chromium, which is for Linux on x64. An install without it has no browser.
 * It is unpacked below the data folder, which only the user of the service can write, when it is first
 * needed.
 */
export function createChromiumFinder(
  dataDir: string,
  installed: string | undefined,
): () => Promise<Chromium | null> {
  // A full disk may have room later.
  return remember(async function find() {
    if (installed !== undefined) return { executable: installed, env: {} }
    const folder = packageFolder()
    if (folder === null) return null
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return unpackChromium(join(folder, 'bin'), join(dataDir, 'browser', version))
  })
}

/** Whether the browser of the npm package can run here, unpacked or not. */
export function hasPackedChromium(): boolean {
  return packageFolder() !== null
}

/** The package exports only its code, `build/index.js`. */
function packageFolder(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..')
  } catch {
    return null
  }
}
