import type { LiveCheckpoint } from '#core/live/checkpoint'
import type { LiveConsumer } from '#core/live/consumer'
import type { EventStream } from '#core/ports'
import { READ_BYTES } from '#local/stream/reader'

export type LiveFeedServices = {
  stream: Pick<EventStream, 'shards' | 'read'>
  consumer: LiveConsumer
  checkpoint: LiveCheckpoint
}

/** Largest number of records that one read returns. */
const BATCH_RECORDS = 10_000

/**
 * Copies new records of the stream into the live buffer, as the mapping of the function `live` does on AWS.
 * After a crash it goes on from its checkpoint, and may copy the last batch again. Without a checkpoint it
 * begins with the first record of the log: where the lake is says nothing, because the lake may be faster.
 */
export function createLiveFeed({ stream, consumer, checkpoint }: LiveFeedServices) {
  const positions = new Map<string, string>()

  async function copyAll(signal: AbortSignal): Promise<void> {
    for (let mayWait = true; mayWait; ) {
      mayWait = false
      // In turns, so that a shard does not wait for the backlog of another.
      for (const shard of await stream.shards()) {
        if (signal.aborted) return
        if (await copyBatch(shard)) mayWait = true
      }
    }
  }

  /**
   * Returns whether the batch was as large as a read can be, so more records may wait. Each batch writes a
   * chunk for each bucket.
   */
  async function copyBatch(shard: string): Promise<boolean> {
    const batch = await stream.read(shard, await positionOf(shard), BATCH_RECORDS)
    const last = batch.at(-1)
    if (last === undefined) return false
    await consumer.consumeBatch(shard, batch)
    await checkpoint.write(shard, last.sequence)
    positions.set(shard, last.sequence)
    const bytes = batch.reduce((sum, { data }) => sum + data.length, 0)
    return batch.length === BATCH_RECORDS || bytes >= READ_BYTES
  }

  async function positionOf(shard: string): Promise<string | null> {
    return positions.get(shard) ?? checkpoint.read(shard)
  }

  return { copyAll }
}

export type LiveFeed = ReturnType<typeof createLiveFeed>
