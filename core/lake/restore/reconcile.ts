import { forEachConcurrent } from '#core/async/concurrency'
import { CLAIM_RECORDS, claimSize, type LakeConsumer } from '#core/lake/consume/consumer'
import type { Claim } from '#core/lake/model/claim'
import { parseHotKey } from '#core/lake/model/keys'
import { compareSequences, isBeyond } from '#core/lake/model/sequence'
import type { LakeStateStore } from '#core/lake/model/state'
import type { EventStream, Lake, Log, Now } from '#core/ports'
import { tables } from '#schemas/columns'
import { raiseEpoch } from './raise-epoch.ts'

export type ReconcileServices = {
  state: LakeStateStore
  stream: EventStream
  lake: Lake
  consumer: LakeConsumer
  clock: Now
  log: Log
}

/** Shards that are worked on at the same time. Each holds the records of one claim in memory. */
const SHARDS_AT_ONCE = 4

/**
 * Brings the state up to the lake, before the service takes traffic. The state can be older than the lake: it
 * was restored from a backup, or the disk lost synced writes in a power cut. Each hot file beyond the
 * highWater of its shard comes from a claim that the state has lost, so these claims are opened and finished
 * again, in order. Finishing a claim also adds to the counters, which are as old as the claims. Returns the
 * number of claims.
 */
export async function reconcile(services: ReconcileServices): Promise<number> {
  const { state, lake, log } = services
  const hotFiles = (await lake.list(`${tables.events_hot.prefix}/`))
    .map(({ key }) => parseHotKey(key))
    .filter(file => file !== null)
  const newestEpoch = Math.max(0, ...hotFiles.map(({ claim }) => claim.epoch))
  await raiseEpoch(services, newestEpoch)
  let finishedClaims = 0
  const shards = [...Map.groupBy(hotFiles, file => file.shard)]
  await forEachConcurrent(shards, SHARDS_AT_ONCE, async ([shard, files]) => {
    const claims = files.map(({ claim }) => claim).toSorted((a, b) => compareSequences(a.first, b.first))
    await state.addShard(shard)
    for (const claim of claims) {
      const finished = await finishLostClaim(services, shard, claim)
      // Read after the await, because other shards add to it meanwhile.
      finishedClaims += finished
    }
  })
  if (finishedClaims > 0) log('STATE_RECONCILED', { claims: finishedClaims })
  return finishedClaims
}

/**
 * Finishes a lost claim, after all records between highWater and the claim. Returns the number of finished
 * claims.
 */
async function finishLostClaim(services: ReconcileServices, shard: string, claim: Claim): Promise<number> {
  const { state, stream, consumer, clock } = services
  const shardState = await state.shard(shard)
  if (!isBeyond(claim.last, shardState.highWater)) return 0
  if (shardState.claim !== null && shardState.claim.first !== claim.first) {
    await consumer.finishClaim(shard, shardState.claim, shardState.highWater)
    return 1 + (await finishLostClaim(services, shard, claim))
  }
  if (shardState.claim === null) {
    const rangeBefore = await recordsBefore(stream, shard, shardState.highWater, claim)
    await state.joinEpoch(shard, claim.epoch)
    // Records that are in no file come first, in a claim of their own: highWater must never skip a record.
    const nextClaim = rangeBefore === null ? claim : { ...rangeBefore, epoch: claim.epoch }
    if (!(await state.claim(shard, nextClaim, shardState.highWater, clock.now()))) {
      throw new Error(
        `The claim of ${nextClaim.first} to ${nextClaim.last} of shard ${shard} cannot be opened again`,
      )
    }
    if (nextClaim !== claim) return finishLostClaim(services, shard, claim)
  }
  await consumer.finishClaim(shard, claim, shardState.highWater)
  return 1
}

/**
 * The range of the records after highWater and before the claim, as many of them as one claim may have; null
 * if there are none.
 */
async function recordsBefore(stream: EventStream, shard: string, highWater: string | null, claim: Claim) {
  const entries = await stream.read(shard, highWater, CLAIM_RECORDS)
  const entriesBefore = entries.filter(({ sequence }) => isBeyond(claim.first, sequence))
  const [first, last] = [entriesBefore[0], entriesBefore[claimSize(entriesBefore) - 1]]
  return first === undefined || last === undefined ? null : { first: first.sequence, last: last.sequence }
}
