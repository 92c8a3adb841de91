import type { LakeStateStore } from '#core/lake/state'
import { keptMs } from '#core/live/buffer'
import type { Clock, Log } from '#core/ports'
import type { ExpiredItems } from '#local/state/expired-items'
import type { StreamReader } from '#local/stream/reader'

export type ScrubServices = {
  stream: Pick<StreamReader, 'shards' | 'prune' | 'scrub'>
  state: Pick<LakeStateStore, 'shard'>
  expiredItems: Pick<ExpiredItems, 'deleteAll'>
  /** Removes the bytes of deleted items from the files of the state. */
  scrubState(): Promise<void>
  clock: Clock
  log: Log
}

export type ScrubSettings = {
  /** How long the log keeps a record, ms. */
  retentionMs: number
  /** Age of the oldest event in the live buffer, ms. */
  bufferMs: number
  /** Shortest time between two scrubs, ms: each writes the files of the state anew. */
  pauseMs: number
}

/** Expired items are found with a precision of a second. */
const EXPIRY_STEP_MS = 2_000

/**
 * Removes what this machine has of erased events outside the lake: records of the log, chunks of the live buffer, and the bytes of
 * deleted items and records in files of LevelDB and SQLite. Works in the background, for the erasures that wait for it.
 */
export function createScrub(services: ScrubServices, { retentionMs, bufferMs, pauseMs }: ScrubSettings) {
  const { stream, state, expiredItems, scrubState, clock, log } = services
  const keepMs = Math.max(retentionMs, keptMs(bufferMs) + EXPIRY_STEP_MS)
  let scrubbedUntil = 0
  let startedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null

  /** Returns the time (Unix ms) until which nothing is left. Starts to work if `needed` is later, and can be reached now. */
  async function scrub(needed: number): Promise<number> {
    const now = clock.now()
    const isDue = needed >= scrubbedUntil && needed < now - keepMs && now - startedAt >= pauseMs
    if (isDue && running === null) {
      startedAt = now
      running = run(now)
        .catch(error => log('JOB_FAILED', { job: 'scrub', error: String(error) }))
        .finally(() => (running = null))
    }
    return scrubbedUntil
  }

  async function run(now: number): Promise<void> {
    await expiredItems.deleteAll(new AbortController().signal)
    for (const shard of await stream.shards()) {
      const { highWater } = await state.shard(shard)
      if (highWater === null) continue
      await stream.prune(highWater, now - retentionMs)
      if (!stream.scrub(highWater, now - retentionMs)) return
    }
    await scrubState()
    scrubbedUntil = now - keepMs
  }

  return scrub
}
