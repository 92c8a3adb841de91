import { setTimeout as sleep } from 'node:timers/promises'
import type { LakeConsumer } from '#core/lake/consumer'
import type { Maintenance } from '#core/lake/maintenance'
import type { LakeStateStore } from '#core/lake/state'
import type { Clock, EventStream, Log } from '#core/ports'

export type PipelineServices = {
  state: Pick<LakeStateStore, 'shard'>
  stream: Pick<EventStream, 'shards' | 'read'>
  consumer: Pick<LakeConsumer, 'consume' | 'consumeBatch'>
  maintenance: Maintenance
  /** Deletes records up to the sequence that were appended before a time (Unix ms). */
  prune(upTo: string, olderThan: number): Promise<number>
  clock: Clock
  log: Log
}

export type PipelineSettings = {
  /** Pause after the stream was taken into the lake as far as it went, ms. */
  windowMs: number
  /** Pause between two looks at what maintenance is due, ms. */
  maintenanceMs: number
  /** Pause between two prunings of the stream, ms. */
  pruneMs: number
  /** Records that are in the lake stay this long in the stream, ms. */
  retentionMs: number
  /** Longest pause after failures, ms; the first is as long as the window, each next one doubled. */
  maxBackoffMs: number
}

export const PIPELINE_DEFAULTS: PipelineSettings = {
  windowMs: 1_000,
  maintenanceMs: 5_000,
  pruneMs: 60_000,
  retentionMs: 3_600_000,
  maxBackoffMs: 30_000,
}

/** Records that are read at once. */
const BATCH_RECORDS = 5_000
/** With fewer than these at hand the next window may collect more: small batches make small files. */
const SMALL_BATCH = { records: 1_000, bytes: 1_000_000 }

/**
 * What happens to events after they were acknowledged: once a window everything new goes from the stream into the
 * lake; every few windows maintenance does what is due, and the stream is pruned. The three fail and back off apart
 * from each other. `run` returns when the signal is aborted and the step at hand is done.
 */
export function createPipeline(services: PipelineServices, settings: PipelineSettings = PIPELINE_DEFAULTS) {
  const { state, stream, consumer, maintenance, clock, log } = services

  async function consumeAll(signal: AbortSignal): Promise<void> {
    for (const shard of await stream.shards()) {
      while (!signal.aborted && (await consumeSome(shard)));
    }
  }

  /** Whether it found so much that there may be more. */
  async function consumeSome(shard: string): Promise<boolean> {
    const { highWater, claim } = await state.shard(shard)
    const batch = await stream.read(shard, highWater, BATCH_RECORDS)
    if (batch.length > 0) await consumer.consumeBatch(shard, batch)
    else if (claim !== null) await consumer.consume(shard)
    const bytes = batch.reduce((sum, { data }) => sum + data.length, 0)
    return batch.length >= SMALL_BATCH.records || bytes >= SMALL_BATCH.bytes
  }

  async function prune(): Promise<void> {
    for (const shard of await stream.shards()) {
      const { highWater } = await state.shard(shard)
      if (highWater !== null) await services.prune(highWater, clock.now() - settings.retentionMs)
    }
  }

  /** Does the work again and again, with a pause in between that grows while it fails. */
  async function repeat(
    work: () => Promise<void>,
    pauseMs: number,
    failed: (error: unknown, failures: number) => void,
    signal: AbortSignal,
  ) {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await work()
        failures = 0
      } catch (error) {
        failures += 1
        failed(error, failures)
      }
      const backoffMs = Math.min(settings.maxBackoffMs, settings.windowMs * 2 ** (failures - 1))
      await sleep(failures === 0 ? pauseMs : Math.max(pauseMs, backoffMs), undefined, { signal }).catch(
        () => {},
      )
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    const jobFailed = (job: string) => (error: unknown, failures: number) =>
      log('JOB_FAILED', { job, failures, error: String(error) })
    await Promise.all([
      repeat(
        () => consumeAll(signal),
        settings.windowMs,
        (error, failures) => log('LAKE_BATCH_FAILED', { failures, error: String(error) }),
        signal,
      ),
      repeat(maintenance.tick, settings.maintenanceMs, jobFailed('maintenance'), signal),
      repeat(prune, settings.pruneMs, jobFailed('prune'), signal),
    ])
  }

  return { run }
}
