/**
 * Makes writes wait for the disk together. The promise of a call resolves when a sync has ended that began
 * after the call. At most one sync runs; the calls during it share the next one. So a slow disk makes groups
 * larger, and no thread waits for it.
 */
export function createGroupSync(sync: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve()
  let following: Promise<void> | null = null

  function start(): Promise<void> {
    running = following ?? running
    following = null
    return sync()
  }

  return () => {
    following ??= running.then(start, start)
    return following
  }
}
