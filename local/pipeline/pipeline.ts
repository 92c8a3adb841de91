import { setTimeout as sleep } from 'node:timers/promises'
import { errorText } from '#core/errors'
import type { Maintenance } from '#core/lake/compact/maintenance'
import type { LakeConsumer } from '#core/lake/consume/consumer'
import { isBeyond } from '#core/lake/model/sequence'
import type { LakeStateStore } from '#core/lake/model/state'
import type { EventStream, Log, Now, StreamEntry } from '#core/ports'
import { READ_BYTES } from '#local/stream/reader'
import type { IdentityFeed } from './identity-feed.ts'
import type { LiveFeed } from './live-feed.ts'

export type PipelineServices = {
  state: Pick<LakeStateStore, 'shard'>
  stream: Pick<EventStream, 'shards' | 'read'>
  consumer: Pick<LakeConsumer, 'consume'>
  maintenance: Maintenance
  /** Deletes the records of a shard up to sequence `upTo` that were appended before `olderThan` (Unix ms). */
  prune(shard: string, upTo: string, olderThan: number): Promise<number>
  live: LiveFeed
  identity: Pick<IdentityFeed, 'fold'>
  /** Deletes the items of the state whose `expires_at` is before `now`, Unix seconds. */
  deleteExpired(now: number): Promise<void>
  clock: Now
  log: Log
}

export type PipelineSettings = {
  /** Time from one claim of a shard to the next when the first has taken all of its records, ms. */
  windowMs: number
  /** Pause after all records of the stream are in the live buffer, ms. */
  liveMs: number
  /** Pause between two deletions of expired items, ms. */
  expiryMs: number
  /** Pause between two runs of maintenance, ms. */
  maintenanceMs: number
  /** Pause between two deletions of old records from the stream, ms. */
  pruneMs: number
  /**
   * Time that a record stays in the stream after it was appended, ms. Records that are not in the lake always
   * stay.
   */
  retentionMs: number
  /** Longest pause after a failure, ms. The first is `windowMs` long, each further one is twice as long. */
  maxBackoffMs: number
}

export const PIPELINE_DEFAULTS: PipelineSettings = {
  windowMs: 1_000,
  liveMs: 500,
  expiryMs: 15_000,
  maintenanceMs: 5_000,
  pruneMs: 60_000,
  retentionMs: 3_600_000,
  maxBackoffMs: 30_000,
}

/** Largest number of records that one read returns. */
const BATCH_RECORDS = 5_000

/**
 * Moves acknowledged events on, in loops: one writes new records from the stream to the lake, one copies them
 * into the live buffer, one folds identify requests, one runs maintenance, one deletes old records from the
 * stream, and one deletes expired items of the state. Each loop has its own pauses, and a failure of one does
 * not delay the others. `run` resolves when the signal has aborted and the current steps have ended.
 */
export function createPipeline(services: PipelineServices, settings: PipelineSettings = PIPELINE_DEFAULTS) {
  const { state, stream, consumer, maintenance, live, identity, clock, log } = services

  /** Entries of each shard that were read and not consumed: less than one read returns. */
  const readEntries = new Map<string, StreamEntry[]>()
  /** From when on each shard has its next turn, by performance.now(). */
  const nextTurns = new Map<string, number>()

  /**
   * Takes one claim of each shard in turns, while records may wait: so the records of a shard wait for one
   * claim of another, not for its backlog. A shard whose last claim took all of its records has a turn once
   * in `windowMs`, because small claims make small files.
   */
  async function consumeAll(signal: AbortSignal): Promise<void> {
    for (let mayWait = true; mayWait; ) {
      mayWait = false
      for (const shard of await stream.shards()) {
        if (signal.aborted) return
        const startedAt = performance.now()
        if (startedAt < (nextTurns.get(shard) ?? 0)) continue
        const hasMore = await consumeClaim(shard)
        nextTurns.set(shard, hasMore ? 0 : startedAt + settings.windowMs)
        mayWait ||= hasMore
      }
    }
  }

  /** The time until the first shard has its next turn, ms: at most `windowMs`. */
  function untilNextTurn(): number {
    const next = Math.min(...nextTurns.values())
    return Math.min(settings.windowMs, Math.max(0, next - performance.now()))
  }

  /**
   * Returns whether the claim left records, or the read was as large as one can be, so more records may wait.
   */
  async function consumeClaim(shard: string): Promise<boolean> {
    const { highWater, claim } = await state.shard(shard)
    let entries = (readEntries.get(shard) ?? []).filter(({ sequence }) => isBeyond(sequence, highWater))
    let mayWait = entries.length > 0
    if (!mayWait) {
      entries = await stream.read(shard, highWater, BATCH_RECORDS)
      const bytes = entries.reduce((sum, { data }) => sum + data.length, 0)
      mayWait = entries.length === BATCH_RECORDS || bytes >= READ_BYTES
    }
    if (entries.length === 0 && claim === null) return false
    readEntries.delete(shard)
    const consumed = await consumer.consume(shard, entries)
    const rest = entries.slice(consumed)
    // The claim that was open may be of other records.
    if (claim !== null || consumed === 0) return consumed > 0
    if (rest.length > 0) readEntries.set(shard, rest)
    return mayWait || rest.length > 0
  }

  async function deleteOldRecords(): Promise<void> {
    for (const shard of await stream.shards()) {
      const { highWater } = await state.shard(shard)
      if (highWater !== null) await services.prune(shard, highWater, clock.now() - settings.retentionMs)
    }
  }

  /** Repeats the work with a pause in between. The pause grows while the work fails. */
  async function repeat(
    work: () => Promise<void>,
    pause: number | (() => number),
    logFailure: (error: unknown, failures: number) => void,
    signal: AbortSignal,
  ) {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await work()
        failures = 0
      } catch (error) {
        failures += 1
        logFailure(error, failures)
      }
      const pauseMs = typeof pause === 'number' ? pause : pause()
      const backoffMs = Math.min(settings.maxBackoffMs, settings.windowMs * 2 ** (failures - 1))
      await sleep(failures === 0 ? pauseMs : Math.max(pauseMs, backoffMs), undefined, { signal }).catch(
        () => {},
      )
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    const logJobFailure = (job: string) => (error: unknown, failures: number) =>
      log('JOB_FAILED', { job, failures, error: String(error) })
    await Promise.all([
      repeat(
        () => consumeAll(signal),
        untilNextTurn,
        (error, failures) => log('LAKE_BATCH_FAILED', { failures, error: errorText(error) }),
        signal,
      ),
      repeat(
        () => live.copyAll(signal),
        settings.liveMs,
        (error, failures) => log('LIVE_BATCH_FAILED', { failures, error: String(error) }),
        signal,
      ),
      repeat(identity.fold, settings.windowMs, logJobFailure('fold-identity'), signal),
      repeat(
        () => services.deleteExpired(Math.floor(clock.now() / 1_000)),
        settings.expiryMs,
        logJobFailure('expired items'),
        signal,
      ),
      repeat(maintenance.tick, settings.maintenanceMs, logJobFailure('maintenance'), signal),
      repeat(deleteOldRecords, settings.pruneMs, logJobFailure('prune'), signal),
    ])
  }

  return { run }
}
