import { createBatcher } from './batcher.ts'
import { createDelivery, type DeliverServices, type Invoke } from './deliver.ts'
import type { MappingSettings } from './settings.ts'
import type { PolledRecord, ShardInfo, ShardSource, Time } from './shard.ts'

export type PollerServices = {
  source: ShardSource
  /** Calls the function with records of the shard. */
  invoke(shard: string, records: readonly PolledRecord[]): ReturnType<Invoke>
  time: Time
  onDiscarded: DeliverServices['onDiscarded']
}

export type Poller = {
  /** The last processed sequence of each shard, and the shards that are read to their end. */
  position: { checkpoints: Map<string, string>; ended: Set<string> }
  /** Rejects when the stream cannot be read. */
  running: Promise<void>
  /** Stops after the current invocation. Undelivered records stay in the stream. */
  stop(): Promise<void>
}

/** Interval between two listings of the shards. */
const LIST_EVERY_MS = 5_000

/**
 * Reads a stream for a function as Lambda's event source mapping does. It reads shards independently, one
 * batch at a time. A shard of a reshard waits until its parents are read to their end. `startPosition` is the
 * position of an earlier poller, or an older one: Lambda's checkpoints may be behind what it has delivered.
 */
export function startPoller(
  settings: MappingSettings,
  services: PollerServices,
  startPosition: Poller['position'] = { checkpoints: new Map(), ended: new Set() },
): Poller {
  const { source, invoke, time, onDiscarded } = services
  const abortController = new AbortController()
  const stop = abortController.signal
  const position = { checkpoints: new Map(startPosition.checkpoints), ended: new Set(startPosition.ended) }
  const readers = new Map<string, Promise<void>>()

  async function run(): Promise<void> {
    /** Shards of the start. Shards of a later reshard are read from their first record. */
    const initialShards = new Set((await source.shards()).map(({ id }) => id))
    while (!stop.aborted) {
      const shards = await source.shards()
      const listedShards = new Set(shards.map(({ id }) => id))
      for (const shard of shards) {
        const isReady = shard.parents.every(parent => position.ended.has(parent) || !listedShards.has(parent))
        if (isReady && !readers.has(shard.id) && !position.ended.has(shard.id)) {
          const shardRun = readShard(shard, initialShards.has(shard.id) ? settings.startAt : 'TRIM_HORIZON')
          shardRun.catch(error => abortController.abort(error))
          readers.set(shard.id, shardRun)
        }
      }
      await time.sleep(LIST_EVERY_MS, stop)
    }
    await Promise.all(readers.values())
  }

  async function readShard({ id }: ShardInfo, startAt: MappingSettings['startAt']): Promise<void> {
    const after = position.checkpoints.get(id)
    const reader = source.open(id, after === undefined ? startAt : { after })
    const { nextBatch } = createBatcher(reader, settings, time)
    const { deliver } = createDelivery(settings, {
      invoke: records => invoke(id, records),
      time,
      checkpoint: sequence => position.checkpoints.set(id, sequence),
      onDiscarded,
    })
    while (!stop.aborted) {
      const { records, end } = await nextBatch(stop)
      if (records.length > 0) await deliver(records, stop)
      if (end && !stop.aborted) {
        position.ended.add(id)
        return
      }
    }
  }

  const running = run()
  running.catch(() => abortController.abort())
  return {
    position,
    running,
    async stop() {
      abortController.abort()
      await running
    },
  }
}
