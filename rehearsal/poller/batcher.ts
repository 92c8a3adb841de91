import type { MappingSettings } from './settings.ts'
import type { PolledRecord, ShardReader, Time } from './shard.ts'

/** Lambda's limit for the event of a synchronous call, bytes of JSON. A batch is smaller. */
const EVENT_BYTES = 6 * 1024 * 1024
/** Bytes of a record in the event besides its data and its partition key. */
const RECORD_BYTES = 700
/** Lambda reads each shard once a second. */
const POLL_INTERVAL_MS = 1_000

/** `end` is true when the shard has no further records. */
export type Batch = { records: PolledRecord[]; end: boolean }

/**
 * Groups the records of a shard into batches, as Lambda does. A batch is complete when it has the maximum
 * number of records or bytes, or when the window since its first record is over. Other records wait for the
 * next batch.
 */
export function createBatcher(
  reader: ShardReader,
  settings: Pick<MappingSettings, 'batchSize' | 'windowMs'>,
  time: Time,
) {
  let pending: PolledRecord[] = []
  let isShardEnd = false

  /** Returns the next batch. It is empty only at the end of the shard, or after an abort. */
  async function nextBatch(stop: AbortSignal): Promise<Batch> {
    let windowStart: number | null = null
    for (;;) {
      if (pending.length > 0) windowStart ??= time.now()
      const fitCount = countFitting(pending, settings.batchSize)
      const remainingMs =
        windowStart === null ? POLL_INTERVAL_MS : windowStart + settings.windowMs - time.now()
      const isComplete =
        windowStart !== null &&
        (fitCount < pending.length || fitCount === settings.batchSize || remainingMs <= 0)
      if (isComplete || isShardEnd || stop.aborted) return takePending(fitCount)
      const { records, end } = await reader.next()
      pending.push(...records)
      isShardEnd = end
      if (records.length === 0 && !end) await time.sleep(Math.min(remainingMs, POLL_INTERVAL_MS), stop)
    }
  }

  function takePending(count: number): Batch {
    const records = pending.slice(0, count)
    pending = pending.slice(count)
    return { records, end: isShardEnd && pending.length === 0 }
  }

  return { nextBatch }
}

/** Returns how many of the records fit into a batch: at least one, unless there are none. */
function countFitting(records: readonly PolledRecord[], batchSize: number): number {
  let bytes = 0
  for (const [index, { data, partitionKey }] of records.entries()) {
    bytes += Math.ceil(data.length / 3) * 4 + partitionKey.length + RECORD_BYTES
    if (index === batchSize || (index > 0 && bytes > EVENT_BYTES)) return index
  }
  return records.length
}
