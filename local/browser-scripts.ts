import { remember } from '#core/async/lazily'

/**
 * The scripts for browsers, built when one of them is asked for first: half a second of work, and libraries
 * that a service loads only for it.
 */

export const builtTracker = buildOnce(async () => (await import('#tracker/build')).buildTracker())
export const builtRecorder = buildOnce(async () => (await import('#replay/build')).buildRecorder())
export const builtViewer = buildOnce(async () => (await import('#replay/viewer/build')).buildViewer())
export const builtDashboard = buildOnce(async () => (await import('#dashboard/build')).buildDashboard())
export const builtChatView = buildOnce(async () => (await import('#dashboard/build')).buildChatView())

let lastBuild: Promise<unknown> = Promise.resolve()

/**
 * Builds once, and again after a failure. One build runs at a time, because each of them ends the process
 * that esbuild keeps for further ones.
 */
function buildOnce<T>(build: () => Promise<T>): () => Promise<T> {
  async function buildAfter(before: Promise<unknown>): Promise<T> {
    await before.catch(() => {})
    try {
      return await build()
    } finally {
      const { stop } = await import('esbuild')
      await stop()
    }
  }

  return remember(function buildNext() {
    const own = buildAfter(lastBuild)
    lastBuild = own
    return own
  })
}
