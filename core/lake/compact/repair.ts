import type { LakeConsumer } from '#core/lake/consume/consumer'
import type { TombstoneMending } from '#core/lake/erase/mend-tombstones'
import {
  parseHotKey,
  parseIdentityKey,
  parseLinksKey,
  parseSegmentKey,
  parseTombstoneKey,
  parseTraitsKey,
  tombstoneKey,
} from '#core/lake/model/keys'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Log } from '#core/ports'
import type { LakeWorker } from './jobs.ts'

export type RepairServices = {
  consumer: Pick<LakeConsumer, 'rewriteHotFile'>
  worker: Pick<LakeWorker, 'repairSegment'>
  /**
   * Lets the fold of core/identity write the links files of a bucket again, or the traits files of a project.
   */
  identity: {
    repairLinks(bucket: number): Promise<void>
    repairTraits(project: { id: string; bucket: number }): Promise<void>
  }
  state: Pick<LakeStateStore, 'manifest'>
  tombstones: Pick<TombstoneMending, 'mend'>
  log: Log
}

/**
 * Writes a damaged or missing object of the lake again: a hot file and an identity file from the stream, a
 * file of a segment from the hot files of its epoch or from the segments that it was merged from. Links files
 * follow from the pointers in the state table, traits files from its traits, and the fold writes them.
 * Tombstones follow from what the state remembers of erasures (mend-tombstones.ts). Superseded files are kept
 * for a day (maintenance.ts), so a repair works if the damage is found in that time. Returns false and
 * changes nothing if the sources are gone too. Then only an operator can decide to go on without the object
 * (docs/alarms.md).
 */
export function createRepair({ consumer, worker, identity, state, tombstones, log }: RepairServices) {
  async function repair(key: string): Promise<boolean> {
    const isRepaired = await rewrite(key)
    log(isRepaired ? 'LAKE_OBJECT_REPAIRED' : 'LAKE_OBJECT_LOST', { key })
    return isRepaired
  }

  async function rewrite(key: string): Promise<boolean> {
    const hotFile = parseHotKey(key)
    if (hotFile !== null) return consumer.rewriteHotFile(hotFile.shard, hotFile.claim)
    const identityFile = parseIdentityKey(key)
    if (identityFile !== null) return consumer.rewriteHotFile(identityFile.shard, identityFile.claim)
    const links = parseLinksKey(key)
    if (links !== null) return identity.repairLinks(links.bucket).then(() => true)
    const traits = parseTraitsKey(key)
    if (traits !== null) return identity.repairTraits(traits).then(() => true)
    const tombstone = parseTombstoneKey(key)
    if (tombstone !== null) return rewriteTombstones(tombstone.bucket, key)
    const file = parseSegmentKey(key)
    return file !== null && worker.repairSegment(file.bucket, file.segment)
  }

  async function rewriteTombstones(bucket: number, key: string): Promise<boolean> {
    const batch = (await state.manifest(bucket)).tombstones.find(each => tombstoneKey(bucket, each) === key)
    return batch !== undefined && tombstones.mend(bucket, batch)
  }

  return repair
}
