import { unpackUnparsed } from '#core/ingest/record'
import type { LakeStateStore } from '#core/lake/model/state'
import type { EventStream, Now } from '#core/ports'

export type UnreadServices = {
  state: Pick<LakeStateStore, 'shard'>
  stream: Pick<EventStream, 'shards' | 'read'>
}

/**
 * Returns the arrival of the oldest record that is in the stream only, Unix ms: infinite without one, and
 * null if such a record cannot be read. It reads one record of each shard, so it is for a stream on the same
 * machine.
 */
export function createOldestUnread({ state, stream }: UnreadServices) {
  return async function oldestUnread(): Promise<number | null> {
    const shards = await stream.shards()
    const times = await Promise.all(
      shards.map(async shard => {
        const { highWater } = await state.shard(shard)
        const [oldest] = await stream.read(shard, highWater, 1)
        return oldest === undefined ? Number.POSITIVE_INFINITY : arrivalOf(oldest.data)
      }),
    )
    return times.includes(null) ? null : Math.min(Number.POSITIVE_INFINITY, ...times.map(Number))
  }
}

/**
 * Returns a Unix ms such that every event that arrived before it is in the lake: the arrival of the oldest
 * record that is in the stream only, else now.
 */
export function createFreshness({ clock, ...services }: UnreadServices & { clock: Now }) {
  const oldestUnread = createOldestUnread(services)
  return async function freshUntil(): Promise<number | null> {
    const now = clock.now()
    const oldest = await oldestUnread()
    return oldest === null ? null : Math.min(now, oldest)
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
