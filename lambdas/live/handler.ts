import type { KinesisStreamEvent } from 'aws-lambda'
import { compareSequences } from '#core/lake/model/sequence'
import type { LiveConsumer } from '#core/live/consumer'
import type { Log } from '#core/ports'
import { shardOf, toEntry } from '#lambdas/lake/stream-entries'

export type LiveServices = { consumer: LiveConsumer; log: Log }

/**
 * Runs the live consumer behind a Kinesis mapping. A batch that fails is thrown back to Lambda, which tries
 * it a few times and then drops it: late events are of no use in live reads, and the lake has them all.
 */
export function liveHandler({ consumer, log }: LiveServices) {
  return async function passRecords({ Records }: KinesisStreamEvent): Promise<void> {
    for (const [shard, records] of Map.groupBy(Records, shardOf)) {
      const entries = records.map(toEntry).toSorted((a, b) => compareSequences(a.sequence, b.sequence))
      try {
        await consumer.consumeBatch(shard, entries)
      } catch (error) {
        log('LIVE_BATCH_FAILED', { shard, records: entries.length, error: String(error) })
        throw error
      }
    }
  }
}
