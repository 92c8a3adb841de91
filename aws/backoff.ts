import { setTimeout as sleep } from 'node:timers/promises'

/** How long to wait between tries, ms. */
export type Backoff = { baseMs: number; maxMs: number }

/**
 * Waits before try `attempt` (1: the second try) with full jitter: a random time below a bound that doubles
 * with each try. So callers that were throttled together do not come back together. Rejects with the signal's
 * reason.
 */
export async function backOff(
  { baseMs, maxMs }: Backoff,
  attempt: number,
  signal?: AbortSignal,
): Promise<void> {
  const bound = Math.min(maxMs, baseMs * 2 ** (attempt - 1))
  await sleep(Math.random() * bound, undefined, { signal }).catch(() => signal?.throwIfAborted())
}
