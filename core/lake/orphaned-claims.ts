import type { Clock, EventStream } from '#core/ports'
import type { LakeConsumer } from './consumer.ts'
import type { LakeStateStore } from './state.ts'

export type OrphanedClaimsServices = {
  state: Pick<LakeStateStore, 'shards'>
  stream: Pick<EventStream, 'shards'>
  consumer: Pick<LakeConsumer, 'finishClaim'>
  clock: Clock
}

/** A claim that is open for so long is not being worked on, ms. */
const ORPHANED_AFTER_MS = 3_600_000

/**
 * Ends the claims of shards that the stream has no more. After a reshard the records of a closed shard expire, nobody is
 * called for it again, and compaction would wait for ever for what is claimed there. What the stream has lost of the
 * range is told as RECORDS_MISSING. Claims of shards that are still there are left to their own consumer.
 */
export async function finishOrphanedClaims({
  state,
  stream,
  consumer,
  clock,
}: OrphanedClaimsServices): Promise<void> {
  const now = clock.now()
  const old = (await state.shards()).filter(
    ({ claim, claimedAt }) => claim !== null && (claimedAt ?? 0) < now - ORPHANED_AFTER_MS,
  )
  if (old.length === 0) return
  const there = new Set(await stream.shards())
  for (const { shard, claim, highWater } of old) {
    if (claim !== null && !there.has(shard)) await consumer.finishClaim(shard, claim, highWater)
  }
}
