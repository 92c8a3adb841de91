import type { KinesisStreamBatchResponse, KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda'
import type { LakeConsumer } from '#core/lake/consumer'
import { compareSequences, isBeyond } from '#core/lake/sequence'
import type { LakeStateStore } from '#core/lake/state'
import type { Log, StreamEntry } from '#core/ports'

export type LakeServices = {
  consumer: Pick<LakeConsumer, 'consumeBatch'>
  state: Pick<LakeStateStore, 'shard'>
  /** Ends claims of shards that are no more (core/lake/orphaned-claims.ts). */
  finishOrphanedClaims(): Promise<void>
  log: Log
}

/**
 * The lake consumer behind a Kinesis mapping with ReportBatchItemFailures: takes the batch into the lake, or reports the
 * first record that is not there yet, from which Lambda goes on. What the lake holds is read from its state, not from
 * the batch: Lambda's batches start and end anywhere after a retry, and part of one may be another's work.
 */
export function lakeHandler({ consumer, state, finishOrphanedClaims, log }: LakeServices) {
  return async ({ Records }: KinesisStreamEvent): Promise<KinesisStreamBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = []
    // A batch is of one shard, as far as Lambda documents; nothing would be lost if it were of two.
    for (const [shard, records] of Map.groupBy(Records, shardOf)) {
      const itemIdentifier = await firstLeft(
        shard,
        records.map(toEntry).toSorted((a, b) => compareSequences(a.sequence, b.sequence)),
      )
      if (itemIdentifier !== null) batchItemFailures.push({ itemIdentifier })
    }
    // Nobody else comes by for them; that it fails is no fault of this batch.
    await finishOrphanedClaims().catch(error =>
      log('JOB_FAILED', { job: 'claims of shards that are no more', error: String(error) }),
    )
    return { batchItemFailures }
  }

  /** The sequence of the first entry that could not be taken; null when all are in the lake. */
  async function firstLeft(shard: string, entries: readonly StreamEntry[]): Promise<string | null> {
    try {
      await consumer.consumeBatch(shard, entries)
      return null
    } catch (error) {
      log('LAKE_BATCH_FAILED', { shard, records: entries.length, error: String(error) })
    }
    try {
      const { highWater } = await state.shard(shard)
      const isLeft = ({ sequence }: StreamEntry) => isBeyond(sequence, highWater)
      return entries.find(isLeft)?.sequence ?? null
    } catch {
      return entries[0]?.sequence ?? null
    }
  }
}

/** The shard in front of the sequence: `shardId-000000000006:4959…`. */
function shardOf({ eventID }: KinesisStreamRecord): string {
  return eventID.slice(0, eventID.lastIndexOf(':'))
}

function toEntry({ kinesis }: KinesisStreamRecord): StreamEntry {
  return { sequence: kinesis.sequenceNumber, data: Buffer.from(kinesis.data, 'base64') }
}
