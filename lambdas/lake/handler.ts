import type { KinesisStreamBatchResponse, KinesisStreamEvent } from 'aws-lambda'
import type { LakeConsumer } from '#core/lake/consume/consumer'
import { compareSequences, isBeyond } from '#core/lake/model/sequence'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Log, StreamEntry } from '#core/ports'
import { shardOf, toEntry } from './stream-entries.ts'

export type LakeServices = {
  consumer: Pick<LakeConsumer, 'consumeBatch'>
  state: Pick<LakeStateStore, 'lake' | 'shard'>
  /** The work that follows each batch (core/lake/consume/after-batch.ts). Never rejects. */
  afterBatch(): Promise<void>
  log: Log
}

/**
 * Runs the lake consumer behind a Kinesis mapping with ReportBatchItemFailures. It writes the batch into the
 * lake, or reports the first record that is not there yet, where Lambda then starts again. The state of the
 * shard says which records the lake has. The batch does not: after a retry Lambda cuts batches anywhere, and
 * another consumer may have written a part.
 */
export function lakeHandler({ consumer, state, afterBatch, log }: LakeServices) {
  /** Whether this process has seen that it may write data of this edition. */
  let mayWrite = false

  return async function storeRecords({ Records }: KinesisStreamEvent): Promise<KinesisStreamBatchResponse> {
    const batchItemFailures: { itemIdentifier: string }[] = []
    // Lambda documents one shard in a batch. If there were two, nothing would be lost.
    for (const [shard, records] of Map.groupBy(Records, shardOf)) {
      const itemIdentifier = await consumeShard(
        shard,
        records.map(toEntry).toSorted((a, b) => compareSequences(a.sequence, b.sequence)),
      )
      if (itemIdentifier !== null) batchItemFailures.push({ itemIdentifier })
    }
    await afterBatch()
    return { batchItemFailures }
  }

  /** Returns the sequence of the first entry that is not in the lake; null when all are. */
  async function consumeShard(shard: string, entries: readonly StreamEntry[]): Promise<string | null> {
    try {
      if (!mayWrite) await state.lake()
      mayWrite = true
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
