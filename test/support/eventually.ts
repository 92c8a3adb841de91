import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Calls `fn` until it no longer throws, and gives what it returned. After `timeoutMs` its last error is thrown. The
 * deadline is generous on purpose: it is there to end a hopeless wait, not to measure.
 */
export async function eventually<T>(
  fn: () => T | Promise<T>,
  { timeoutMs = 20_000, everyMs = 25 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    try {
      return await fn()
    } catch (error) {
      if (Date.now() >= deadline) throw error
      await sleep(everyMs)
    }
  }
}
