/**
 * The scripts for browsers, built when one of them is asked for first: half a second of work, and libraries
 * that a service loads only for it.
 */

export const builtTracker = remember(async () => (await import('#tracker/build')).buildTracker())
export const builtRecorder = remember(async () => (await import('#replay/build')).buildRecorder())
export const builtViewer = remember(async () => (await import('#replay/viewer/build')).buildViewer())
export const builtDashboard = remember(async () => (await import('#dashboard/build')).buildDashboard())
export const builtChatView = remember(async () => (await import('#dashboard/build')).buildChatView())

let lastBuild: Promise<unknown> = Promise.resolve()

/**
 * Builds once, and again after a failure. One build runs at a time, because each of them ends the process
 * that esbuild keeps for further ones.
 */
function remember<T>(build: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | null = null

  async function run(before: Promise<unknown>): Promise<T> {
    await before.catch(() => {})
    try {
      return await build()
    } catch (error) {
      known = null
      throw error
    } finally {
      const { stop } = await import('esbuild')
      await stop()
    }
  }

  return () => {
    if (known === null) {
      known = run(lastBuild)
      lastBuild = known
    }
    return known
  }
}
