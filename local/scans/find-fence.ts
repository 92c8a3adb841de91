import { mkdir } from 'node:fs/promises'
import { browserTempDir } from '#local/data-folder'
import { chooseFence, type LocalFence } from '#providers/chromium/fences'
import { isFenceAllowed, showsPage } from '#providers/chromium/probe-fence'
import { hasPackedChromium } from './find-chromium.ts'

/** What holds the pages of strangers on this machine, and how `npm start` says so. */
export type FoundFence = { fence: LocalFence; text: string }

/**
 * Finds the strongest fence that works here. `installed`: the browser of CHROMIUM_PATH. It never fails: a
 * browser that cannot write to a full disk has none.
 */
export async function findFence(dataDir: string, installed: string | undefined): Promise<FoundFence> {
  if (installed === undefined) {
    const fence = await chooseFence(isFenceAllowed)
    return { fence, text: hasPackedChromium() ? TEXTS[fence] : NO_BROWSER }
  }
  const tempDir = browserTempDir(dataDir)
  const chromium = { executable: installed, env: {} }
  const shows = (tried: LocalFence) => showsPage(chromium, tried, tempDir)
  try {
    await mkdir(tempDir, { recursive: true, mode: 0o700 })
    const fence = await chooseFence(shows)
    return { fence, text: fence !== 'none' || (await shows('none')) ? TEXTS[fence] : NO_START }
  } catch {
    return { fence: 'none', text: NO_START }
  }
}

const TEXTS: Record<LocalFence, string> = {
  sandbox_without_network:
    'Website analyses open pages in the sandbox of Chromium, which has no network of its own.',
  sandbox: 'Website analyses open pages in the sandbox of Chromium.',
  namespaces:
    'Website analyses open pages in a Chromium without its sandbox, in namespaces without a network.',
  none: 'Website analyses open no pages for callers without an account: Chromium has no sandbox here. Run the service as an ordinary user who may create user namespaces.',
}
const NO_BROWSER =
  'Website analyses read pages as they come, without their scripts. Set CHROMIUM_PATH to an installed Chromium.'
const NO_START =
  'Website analyses read pages as they come, without their scripts: the browser of CHROMIUM_PATH does not start. Name another one, or remove the setting.'
