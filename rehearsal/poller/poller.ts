import { createDelivery, type DeliverServices, type Invoke } from './deliver.ts'
import { createGatherer } from './gather.ts'
import type { MappingSettings } from './settings.ts'
import type { PolledRecord, ShardInfo, ShardSource, Time } from './shard.ts'

export type PollerServices = {
  source: ShardSource
  /** Calls the function with records of the shard. */
  invoke(shard: string, records: readonly PolledRecord[]): ReturnType<Invoke>
  time: Time
  onGivenUp: DeliverServices['onGivenUp']
}

export type Poller = {
  /** The last sequence of each shard that is done with, and the shards that are read to their end. */
  position: { checkpoints: Map<string, string>; ended: Set<string> }
  /** Rejects where the stream cannot be read. */
  running: Promise<void>
  /** Ends after the invocation at hand; what was gathered and not delivered stays in the stream. */
  stop(): Promise<void>
}

/** How often new shards are looked for. */
const LIST_EVERY_MS = 5_000

/**
 * Reads a stream for a function as Lambda's event source mapping does: every shard by itself, one batch at a time, a
 * shard that came of a reshard only after its parents are read to their end. `from` goes on where another poller ended,
 * or earlier: Lambda's own checkpoints are kept behind what it has delivered.
 */
export function startPoller(
  settings: MappingSettings,
  services: PollerServices,
  from: Poller['position'] = { checkpoints: new Map(), ended: new Set() },
): Poller {
  const { source, invoke, time, onGivenUp } = services
  const ending = new AbortController()
  const stop = ending.signal
  const position = { checkpoints: new Map(from.checkpoints), ended: new Set(from.ended) }
  const readers = new Map<string, Promise<void>>()

  async function run(): Promise<void> {
    /** Shards that were there at the start; those of a later reshard are read from their first record. */
    const first = new Set((await source.shards()).map(({ id }) => id))
    while (!stop.aborted) {
      const shards = await source.shards()
      const known = new Set(shards.map(({ id }) => id))
      for (const shard of shards) {
        const isReady = shard.parents.every(parent => position.ended.has(parent) || !known.has(parent))
        if (isReady && !readers.has(shard.id) && !position.ended.has(shard.id)) {
          const reading = read(shard, first.has(shard.id) ? settings.startAt : 'TRIM_HORIZON')
          reading.catch(error => ending.abort(error))
          readers.set(shard.id, reading)
        }
      }
      await time.sleep(LIST_EVERY_MS, stop)
    }
    await Promise.all(readers.values())
  }

  async function read({ id }: ShardInfo, startAt: MappingSettings['startAt']): Promise<void> {
    const after = position.checkpoints.get(id)
    const reader = source.open(id, after === undefined ? startAt : { after })
    const { gather } = createGatherer(reader, settings, time)
    const { deliver } = createDelivery(settings, {
      invoke: records => invoke(id, records),
      time,
      checkpoint: sequence => position.checkpoints.set(id, sequence),
      onGivenUp,
    })
    while (!stop.aborted) {
      const { records, end } = await gather(stop)
      if (records.length > 0) await deliver(records, stop)
      if (end && !stop.aborted) {
        position.ended.add(id)
        return
      }
    }
  }

  const running = run()
  running.catch(() => ending.abort())
  return {
    position,
    running,
    async stop() {
      ending.abort()
      await running
    },
  }
}
