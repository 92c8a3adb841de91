import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fences, type LocalFence } from './fences.ts'
import { startBrowser } from './start-browser.ts'
import type { Chromium } from './unpack-chromium.ts'

/** A probe that has not ended by then has failed, ms. A slow machine starts a browser in five seconds. */
const PROBE_MS = 20_000
/** What the sandbox of Chromium asks of the kernel. */
const SANDBOXED = ['unshare', '--user', '--net', '--pid', '--fork', 'true']

const run = promisify(execFile)

/**
 * Whether the kernel gives this user what a fence needs. It takes some milliseconds and no browser: that of
 * npm is not unpacked before a page needs it. `uid`: the user who would start it.
 */
export async function isFenceAllowed(fence: LocalFence, uid = process.getuid?.()): Promise<boolean> {
  const { command, switches } = fences[fence]
  // Chromium refuses to start its sandbox as root.
  if (fence === 'sandbox' && uid === 0) return false
  const [file, ...args] = [...command, ...(switches.length === 0 ? SANDBOXED : ['true'])]
  return run(file as string, args, { timeout: PROBE_MS }).then(
    () => true,
    () => false,
  )
}

/**
 * Whether an installed browser shows a page behind a fence. Only a start tells: distributions give their
 * Chromium rights that other programs do not have, or wrap it in programs that need the network.
 */
export async function showsPage(chromium: Chromium, fence: LocalFence, tempDir: string): Promise<boolean> {
  const browser = await startBrowser({ chromium, fence, tempDir, onEvent: () => {} })
  // The end of this function awaits the same closing, and says if it fails.
  const timer = setTimeout(() => void browser.close().catch(() => {}), PROBE_MS)
  try {
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
    await browser.send('Runtime.evaluate', { expression: '1' }, String(sessionId))
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    await browser.close()
  }
}
