import QuickLRU from 'quick-lru'
import type { Now } from '#core/ports'
import type { Admission, SlidingWindow } from './sliding-window.ts'

export type LaggingWindowOptions = {
  window: Pick<SlidingWindow, 'record' | 'peek'>
  windowMs: number
  clock: Now
  /** Gets the error when the shared count could not be read or written; requests are admitted meanwhile. */
  onError(error: unknown): void
}

/** What a process knows of a key. */
type Local = {
  /** Requests that the shared window does not have yet. */
  unreported: number
  /** When the first of them came, Unix ms. */
  since: number
  /** How many more the shared window admitted, and when it said so. */
  left: number
  leftAt: number
  /** What refuses the key, until its reset. */
  blocked: Admission | null
  isReporting: boolean
  /** No report before this time, after one has failed. */
  retryAt: number
}

/** A process reports its requests in groups of this size, so that few of them cost a write. */
const REPORT_EVERY = 10
/** How long a process relies on what the shared window has said when it refuses, ms. */
const FRESH_MS = 1_000
const MAX_KEYS = 10_000

/**
 * Counts requests in a sliding window for all processes together, and never waits: each process decides by
 * its own count and by what the shared window said last, and reports to it in the background. One process
 * alone admits exactly the limit; several admit at most REPORT_EVERY more each. Once the window is full, a
 * process refuses without a request to the table until the reset.
 */
export function createLaggingWindow({ window, windowMs, clock, onError }: LaggingWindowOptions) {
  const keys = new QuickLRU<string, Local>({ maxSize: MAX_KEYS })

  /** Counts one request, unless the key is full. */
  function take(key: string, limit: number): Admission {
    const now = clock.now()
    const local = localOf(key, limit, now)
    if (local.blocked !== null) return local.blocked
    const isFresh = now - local.leftAt < FRESH_MS
    if (isFresh && local.unreported >= local.left) {
      return { isAdmitted: false, limit, remaining: 0, resetAt: now + FRESH_MS }
    }
    if (local.unreported === 0) local.since = now
    local.unreported += 1
    if (local.unreported >= Math.min(REPORT_EVERY, local.left)) void report(key, local, limit)
    return {
      isAdmitted: true,
      limit,
      remaining: Math.max(0, local.left - local.unreported),
      resetAt: now + windowMs,
    }
  }

  function localOf(key: string, limit: number, now: number): Local {
    const known = keys.get(key)
    if (known === undefined) {
      const local = { unreported: 0, since: now, left: limit, leftAt: now, blocked: null }
      const created: Local = { ...local, isReporting: false, retryAt: 0 }
      keys.set(key, created)
      return created
    }
    if (known.blocked !== null && known.blocked.resetAt <= now) {
      known.blocked = null
      known.leftAt = now - FRESH_MS
    }
    // What is older than the window counts no more.
    if (!known.isReporting && now - known.since >= windowMs) known.unreported = 0
    return known
  }

  async function report(key: string, local: Local, limit: number): Promise<void> {
    if (local.isReporting || clock.now() < local.retryAt) return
    local.isReporting = true
    const count = local.unreported
    try {
      const recorded = await window.record(key, limit, count)
      // A full window is asked when it admits the next request.
      const admission = recorded.remaining > 0 ? recorded : await window.peek(key, limit)
      local.unreported -= count
      local.left = recorded.remaining
      local.leftAt = clock.now()
      local.since = local.leftAt
      if (!admission.isAdmitted) local.blocked = admission
    } catch (error) {
      local.retryAt = clock.now() + FRESH_MS
      onError(error)
    } finally {
      local.isReporting = false
    }
  }

  return { take }
}
