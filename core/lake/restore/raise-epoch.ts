import type { LakeStateStore } from '#core/lake/model/state'
import type { Now } from '#core/ports'

export type RaiseEpochServices = { state: LakeStateStore; clock: Now }

/** Time for which the lease is taken, ms. */
const LEASE_MS = 60_000

/**
 * Opens epochs until `epoch` is open. Call it at the start of a process that alone uses the lake, before
 * others do.
 */
export async function raiseEpoch({ state, clock }: RaiseEpochServices, epoch: number): Promise<void> {
  for (;;) {
    const { epoch: newest, leaseUntil } = await state.lake()
    if (newest >= epoch) return
    // Only one process uses the folder, so the holder of the lease is no longer running.
    const now = Math.max(clock.now(), leaseUntil)
    const fence = await state.lease(now, now + LEASE_MS)
    if (fence === null) throw new Error('Another process holds the lease of the lake')
    await state.openEpoch(fence, newest, clock.now())
    await state.release(fence)
  }
}

/**
 * Opens the epoch for the lake and for all shards, so that no new hot file is in an epoch that is compacted.
 */
export async function openEpochs(services: RaiseEpochServices, epoch: number): Promise<void> {
  const { state } = services
  await raiseEpoch(services, epoch)
  for (const shard of await state.shards()) {
    if (shard.epoch !== null && shard.epoch < epoch) await state.joinEpoch(shard.shard, epoch)
  }
}
