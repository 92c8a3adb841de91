import { createEventEraser } from '#core/lake/erase/event-eraser'
import { decodeTombstones, type TombstoneRow } from '#core/lake/erase/tombstone-file'
import { isHotCleared } from '#core/lake/erase/tombstones'
import { tombstoneKey } from '#core/lake/model/keys'
import { isBeyond } from '#core/lake/model/sequence'
import type { LakeStateStore } from '#core/lake/model/state'
import type { LiveBuffer } from '#core/live/buffer'
import type { LiveCheckpoint } from '#core/live/checkpoint'
import type { Lake, Log, Now } from '#core/ports'
import type { LogsReader } from '#local/stream/logs-reader'

export type ScrubServices = {
  stream: Pick<LogsReader, 'shards' | 'overwrite' | 'scrub' | 'appendedAfter'>
  state: Pick<LakeStateStore, 'shard' | 'manifests'>
  lake: Pick<Lake, 'get'>
  liveBuffer: Pick<LiveBuffer, 'erase'>
  liveCheckpoint: Pick<LiveCheckpoint, 'read'>
  /** Removes the bytes of deleted items from the files of the state. */
  scrubState(): Promise<void>
  clock: Now
  log: Log
}

/** An event may be so much older than its record in the log, ms: its request waits for the commit. */
const IN_FLIGHT_MS = 10_000
/**
 * A scrub moves all items of the state, with pauses of its own, so nobody waits for it. After it the disk
 * rests for this many times as long as it took.
 */
const PAUSE_FACTOR = 2

/**
 * Removes what this machine has of erased events outside the lake: in records of the log, in chunks of the
 * live buffer, and in bytes that SQLite no longer uses. All other events stay in the log for as
 * long as it keeps them. Works in the background, for the erasures that wait for it. `pauseMs`: shortest
 * pause between two scrubs. A scrub that the signal interrupts is no failure.
 */
export function createScrub(
  services: ScrubServices,
  { pauseMs, signal }: { pauseMs: number; signal?: AbortSignal },
) {
  const { stream, state, lake, liveBuffer, liveCheckpoint, scrubState, clock, log } = services
  let scrubbedUntil = 0
  let nextStart = 0
  let running: Promise<void> | null = null

  /** Returns the time (Unix ms) until which nothing is left. Starts to work if `needed` is not earlier. */
  async function scrub(needed: number): Promise<number> {
    const startedAt = clock.now()
    if (needed >= scrubbedUntil && startedAt >= nextStart && running === null) {
      running = run(startedAt)
        .catch(error => {
          if (!signal?.aborted) log('JOB_FAILED', { job: 'scrub', error: String(error) })
        })
        .finally(() => {
          const now = clock.now()
          nextStart = now + Math.max(pauseMs, PAUSE_FACTOR * (now - startedAt))
          running = null
        })
    }
    return scrubbedUntil
  }

  async function run(startedAt: number): Promise<void> {
    const { tombstones, next } = await readCleared()
    const { eraseFromRecord } = createEventEraser(tombstones)
    let until = Math.min(startedAt, next)
    for (const shard of await stream.shards()) {
      const { highWater } = await state.shard(shard)
      // What the lake does not have yet stays as it is: the consumer may be reading it.
      until = Math.min(until, (stream.appendedAfter(shard, highWater) ?? startedAt) - IN_FLIGHT_MS)
      if (highWater === null) continue
      const copied = await liveCheckpoint.read(shard)
      if (copied !== null && isBeyond(highWater, copied)) return
      await stream.overwrite(shard, highWater, eraseFromRecord)
    }
    await liveBuffer.erase(tombstones)
    if (!stream.scrub()) return
    await scrubState()
    scrubbedUntil = until
  }

  /**
   * Returns the tombstones of unfinished erasures whose events are already gone from hot files. `next`: when
   * the first other tombstone was created, Unix ms. Its events stay in the log, because a damaged hot file is
   * written again from the log and needs their event_ids.
   */
  async function readCleared(): Promise<{ tombstones: TombstoneRow[]; next: number }> {
    const tombstones: TombstoneRow[] = []
    let next = Number.POSITIVE_INFINITY
    for (const manifest of await state.manifests()) {
      for (const batch of manifest.tombstones.filter(({ doneAt }) => doneAt === null)) {
        if (!isHotCleared(batch)) {
          next = Math.min(next, batch.createdAt)
          continue
        }
        const key = tombstoneKey(manifest.bucket, batch)
        const bytes = await lake.get(key)
        if (bytes === null) throw new Error(`${key} does not exist`)
        for (const row of await decodeTombstones(bytes)) tombstones.push(row)
      }
    }
    return { tombstones, next }
  }

  return scrub
}
