import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 50

/**
 * Calls `fn` until it no longer throws, and returns its result. The pauses between the calls grow up to
 * `everyMs`, because a call may be a read that keeps the service busy. After `timeoutMs`, throws the last
 * error. The timeout only ends a hopeless wait, so it is long enough for a busy machine.
 */
export async function eventually<T>(
  fn: () => T | Promise<T>,
  { timeoutMs = 180_000, everyMs = 400 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      return await fn()
    } catch (error) {
      if (Date.now() >= deadline) throw error
      await sleep(Math.min(pauseMs, everyMs))
    }
  }
}
