import type { LakeStateStore } from '#core/lake/model/state'
import type { EventStream, Now } from '#core/ports'
import type { LakeConsumer } from './consumer.ts'

export type OrphanedClaimsServices = {
  state: Pick<LakeStateStore, 'shards'>
  stream: Pick<EventStream, 'shards'>
  consumer: Pick<LakeConsumer, 'finishClaim'>
  clock: Now
}

/** No consumer works on a claim that has been open for this time, ms. */
const ORPHANED_AFTER_MS = 3_600_000

/**
 * Finishes open claims of shards that no longer exist. After a reshard the records of a closed shard expire
 * and no consumer is called for the shard again, so its open claim would stop compaction for ever. Records
 * that the stream has lost are logged as RECORDS_MISSING. Claims of existing shards are left to their
 * consumers.
 */
export async function finishOrphanedClaims({
  state,
  stream,
  consumer,
  clock,
}: OrphanedClaimsServices): Promise<void> {
  const now = clock.now()
  const oldClaims = (await state.shards()).filter(
    ({ claim, claimedAt }) => claim !== null && (claimedAt ?? 0) < now - ORPHANED_AFTER_MS,
  )
  if (oldClaims.length === 0) return
  const existingShards = new Set(await stream.shards())
  for (const { shard, claim, highWater } of oldClaims) {
    if (claim !== null && !existingShards.has(shard)) await consumer.finishClaim(shard, claim, highWater)
  }
}
