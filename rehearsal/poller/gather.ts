import type { MappingSettings } from './settings.ts'
import type { PolledRecord, ShardReader, Time } from './shard.ts'

/** Lambda's limit of a synchronous event, bytes of JSON: a batch is cut before it. */
const EVENT_BYTES = 6 * 1024 * 1024
/** What a record has in the event beside its data and keys, bytes; the rest is a few constants. */
const RECORD_BYTES = 700
/** Lambda asks each shard once a second. */
const ASK_EVERY_MS = 1_000

export type Gathered = { records: PolledRecord[] /** Nothing comes after these. */; end: boolean }

/**
 * Makes batches of a shard's records as Lambda does: one is full by its number of records or by the size of the event,
 * or it ends when its window has passed since its first record. What does not fit waits for the next batch.
 */
export function createGatherer(
  reader: ShardReader,
  settings: Pick<MappingSettings, 'batchSize' | 'windowMs'>,
  time: Time,
) {
  let waiting: PolledRecord[] = []
  let closed = false

  /** The next batch. It is empty only at the end of the shard, or when the signal aborts before anything came. */
  async function gather(stop: AbortSignal): Promise<Gathered> {
    let opened: number | null = null
    for (;;) {
      if (waiting.length > 0) opened ??= time.now()
      const full = fitting(waiting, settings.batchSize)
      const left = opened === null ? ASK_EVERY_MS : opened + settings.windowMs - time.now()
      const isDue = opened !== null && (full < waiting.length || full === settings.batchSize || left <= 0)
      if (isDue || closed || stop.aborted) return take(full)
      const { records, end } = await reader.next()
      waiting.push(...records)
      closed = end
      if (records.length === 0 && !end) await time.sleep(Math.min(left, ASK_EVERY_MS), stop)
    }
  }

  function take(count: number): Gathered {
    const records = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return { records, end: closed && waiting.length === 0 }
  }

  return { gather }
}

/** How many of the records make a batch: at least one, where there is one. */
function fitting(records: readonly PolledRecord[], batchSize: number): number {
  let bytes = 0
  for (const [index, { data, partitionKey }] of records.entries()) {
    bytes += Math.ceil(data.length / 3) * 4 + partitionKey.length + RECORD_BYTES
    if (index === batchSize || (index > 0 && bytes > EVENT_BYTES)) return index
  }
  return records.length
}
