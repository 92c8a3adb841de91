import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Calls `fn` until it no longer throws, and returns its result. After `timeoutMs`, throws the last error. The timeout only
 * ends a hopeless wait, so it is long enough for a busy machine.
 */
export async function eventually<T>(
  fn: () => T | Promise<T>,
  { timeoutMs = 90_000, everyMs = 25 }: { timeoutMs?: number; everyMs?: number } = {},
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
