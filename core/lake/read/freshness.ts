import { unpackUnparsed } from '#core/ingest/record'
import type { LakeStateStore } from '#core/lake/state'
import type { EventStream, Now } from '#core/ports'

export type FreshnessServices = {
  state: Pick<LakeStateStore, 'shard'>
  stream: Pick<EventStream, 'shards' | 'read'>
  clock: Now
}

/**
 * Returns a Unix ms such that every event that arrived before it is in the lake: the arrival of the oldest
 * record that is in the stream only, else now. It reads one record of each shard, so it is for a stream on
 * the same machine.
 */
export function createFreshness({ state, stream, clock }: FreshnessServices) {
  return async function freshUntil(): Promise<number | null> {
    const now = clock.now()
    const shards = await stream.shards()
    const times = await Promise.all(
      shards.map(async shard => {
        const { highWater } = await state.shard(shard)
        const [oldest] = await stream.read(shard, highWater, 1)
        return oldest === undefined ? now : arrivalOf(oldest.data)
      }),
    )
    return times.includes(null) ? null : Math.min(now, ...times.map(Number))
  }
}

/** Null for a record that cannot be read: nobody knows when it arrived. */
function arrivalOf(data: Uint8Array): number | null {
  try {
    return unpackUnparsed(data).received_at
  } catch {
    return null
  }
}
