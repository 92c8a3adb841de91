import type { KinesisStreamBatchResponse, KinesisStreamEvent } from 'aws-lambda'
import { errorText } from '#core/errors'
import type { LakeConsumer } from '#core/lake/consume/consumer'
import { compareSequences, isBeyond } from '#core/lake/sequence'
import type { LakeStateStore } from '#core/lake/state'
import type { Log, StreamEntry } from '#core/ports'
import { shardOf, toEntry } from '#lambdas/stream-entries'

export type LakeServices = {
  consumer: Pick<LakeConsumer, 'consumeBatch'>
  state: Pick<LakeStateStore, 'shard'>
  /** Finishes open claims of shards that no longer exist (core/lake/consume/orphaned-claims.ts). */
  finishOrphanedClaims(): Promise<void>
  /** Appends records again that an older consumer has set aside (core/lake/consume/set-aside.ts). */
  replay(): Promise<void>
  log: Log
}

/**
 * Runs the lake consumer behind a Kinesis mapping with ReportBatchItemFailures. It writes the batch into the lake, or
 * reports the first record that is not there yet, where Lambda then starts again. The state of the shard says which
 * records the lake has. The batch does not: after a retry Lambda cuts batches anywhere, and another consumer may have
 * written a part.
 */
export function lakeHandler({ consumer, state, finishOrphanedClaims, replay, log }: LakeServices) {
  return async ({ Records }: KinesisStreamEvent): Promise<KinesisStreamBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = []
    // Lambda documents one shard in a batch. If there were two, nothing would be lost.
    for (const [shard, records] of Map.groupBy(Records, shardOf)) {
      const itemIdentifier = await consumeShard(
        shard,
        records.map(toEntry).toSorted((a, b) => compareSequences(a.sequence, b.sequence)),
      )
      if (itemIdentifier !== null) batchItemFailures.push({ itemIdentifier })
    }
    // No batch of these shards will come. A failure here does not make this batch fail.
    await finishOrphanedClaims().catch(error =>
      log('JOB_FAILED', { job: 'orphaned claims', error: errorText(error) }),
    )
    await replay().catch(error => log('JOB_FAILED', { job: 'replay', error: String(error) }))
    return { batchItemFailures }
  }

  /** Returns the sequence of the first entry that is not in the lake; null when all are. */
  async function consumeShard(shard: string, entries: readonly StreamEntry[]): Promise<string | null> {
    try {
      await consumer.consumeBatch(shard, entries)
      return null
    } catch (error) {
      log('LAKE_BATCH_FAILED', { shard, records: entries.length, error: String(error) })
    }
    try {
      const { highWater } = await state.shard(shard)
      return entries.find(({ sequence }) => isBeyond(sequence, highWater))?.sequence ?? null
    } catch {
      return entries[0]?.sequence ?? null
    }
  }
}
