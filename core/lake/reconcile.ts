import type { Clock, EventStream, Lake, Log } from '#core/ports'
import { tables } from '#schemas/columns'
import type { LakeConsumer } from './consumer.ts'
import { parseHotKey } from './keys.ts'
import { compareSequences, isBeyond } from './sequence.ts'
import type { Claim, LakeStateStore } from './state.ts'

export type ReconcileServices = {
  state: LakeStateStore
  stream: EventStream
  lake: Lake
  consumer: LakeConsumer
  clock: Clock
  log: Log
}

/** Time for the lease that the reconciliation holds, ms. */
const LEASE_MS = 60_000

/**
 * Brings a state table that has gone back in time (a restored copy, or a disk that lied about syncing before a power
 * cut) up to what the lake holds, before any traffic: each hot file beyond a shard's highWater is the work of a claim
 * that the table has forgotten, so that claim is opened and finished again, in order. Counters follow, as finishing a
 * claim adds them and they went back together with it. Returns the number of claims mended.
 */
export async function reconcile(services: ReconcileServices): Promise<number> {
  const { state, lake, log } = services
  const files = (await lake.list(`${tables.events_hot.prefix}/`))
    .map(({ key }) => parseHotKey(key))
    .filter(file => file !== null)
  const newest = Math.max(0, ...files.map(({ claim }) => claim.epoch))
  await raiseEpoch(services, newest)
  let mended = 0
  for (const [shard, ofShard] of Map.groupBy(files, file => file.shard)) {
    const claims = ofShard.map(file => file.claim).toSorted((a, b) => compareSequences(a.first, b.first))
    await state.addShard(shard)
    for (const claim of claims) mended += await mend(services, shard, claim)
  }
  if (mended > 0) log('STATE_RECONCILED', { claims: mended })
  return mended
}

async function raiseEpoch({ state, clock }: ReconcileServices, newest: number): Promise<void> {
  for (;;) {
    const { epoch, leaseUntil } = await state.lake()
    if (epoch >= newest) return
    // One process owns the folder, so whoever holds the lease is a dead one.
    const now = Math.max(clock.now(), leaseUntil)
    const fence = await state.lease(now, now + LEASE_MS)
    if (fence === null) throw new Error('the lease of the lake is held by another process')
    await state.openEpoch(fence, epoch, clock.now())
    await state.release(fence)
  }
}

/** Finishes the forgotten claim, and before it whatever lies between highWater and it. Returns how many claims. */
async function mend(services: ReconcileServices, shard: string, claim: Claim): Promise<number> {
  const { state, stream, consumer, clock } = services
  const found = await state.shard(shard)
  if (!isBeyond(claim.last, found.highWater)) return 0
  if (found.claim !== null && found.claim.first !== claim.first) {
    await consumer.finishClaim(shard, found.claim, found.highWater)
    return 1 + (await mend(services, shard, claim))
  }
  if (found.claim === null) {
    const forgotten = await recordsBefore(stream, shard, found.highWater, claim)
    await state.joinEpoch(shard, claim.epoch)
    // Records that no file holds come first, in a claim of their own: highWater never passes over a record.
    const next = forgotten === null ? claim : { ...forgotten, epoch: claim.epoch }
    if (!(await state.claim(shard, next, found.highWater, clock.now()))) {
      throw new Error(`the claim of ${next.first} to ${next.last} of shard ${shard} cannot be opened again`)
    }
    if (next !== claim) return mend(services, shard, claim)
  }
  await consumer.finishClaim(shard, claim, found.highWater)
  return 1
}

/** The range of the records after highWater that lie before the claim; null where there are none. */
async function recordsBefore(stream: EventStream, shard: string, highWater: string | null, claim: Claim) {
  const page = await stream.read(shard, highWater, 1_000)
  const before = page.filter(({ sequence }) => isBeyond(claim.first, sequence))
  const [first, last] = [before[0], before.at(-1)]
  return first === undefined || last === undefined ? null : { first: first.sequence, last: last.sequence }
}
