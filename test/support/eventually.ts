import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 50

/** Each returns the state of something that waits may depend on, such as the last output of a service. */
const witnesses = new Set<() => string>()

/** Adds a text to the error of every wait that ends without success. The returned function removes it. */
export function addWitness(describe: () => string): () => void {
  witnesses.add(describe)
  return () => witnesses.delete(describe)
}

/**
 * Calls `fn` until it no longer throws, and returns its result. The pauses between the calls grow up to
 * `everyMs`, because a call may be a read that keeps the service busy. The timeout only ends a hopeless wait,
 * so it is long enough for a busy machine. Its error says how long it was, how often `fn` was called, the
 * last error, and the last output of the services that the test has started.
 */
export async function eventually<T>(
  fn: () => T | Promise<T>,
  { timeoutMs = 180_000, everyMs = 400 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const startedAt = performance.now()
  for (let tries = 1, pauseMs = FIRST_PAUSE_MS; ; tries += 1, pauseMs *= 2) {
    try {
      return await fn()
    } catch (error) {
      const waitedMs = performance.now() - startedAt
      if (waitedMs >= timeoutMs) throw hopeless(error, waitedMs, tries)
      await sleep(Math.min(pauseMs, everyMs))
    }
  }
}

function hopeless(error: unknown, waitedMs: number, tries: number): Error {
  const last = error instanceof Error ? error.message : String(error)
  const lines = [
    `The wait ended without success after ${(waitedMs / 1_000).toFixed(1)} s and ${tries} tries. The last error: ${last}`,
    ...[...witnesses].map(describe => describe()),
  ]
  return new Error(lines.join('\n'), { cause: error })
}
