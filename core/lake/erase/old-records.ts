import { FAILED_BATCHES, hotPrefix, QUARANTINE, WAITING } from '#core/lake/model/keys'
import { compactedByAll, type Manifest } from '#core/lake/model/manifest'
import type { LakeStateStore } from '#core/lake/model/state'
import type { ForgottenUntil } from '#core/lake/model/tombstone-batch'
import type { Lake } from '#core/ports'
import { forgottenUntil, NOTHING_OLD, type OldRecords } from './old-tombstones.ts'

/** How often old records are looked for, ms: that lists what is set aside, and reads the stream. */
const LOOK_EVERY_MS = 3_600_000

export type OldRecordsServices = {
  state: Pick<LakeStateStore, 'lake' | 'shards'>
  lake: Pick<Lake, 'list'>
  /**
   * Returns the arrival of the oldest record that the lake consumer has not read, Unix ms; infinite without
   * one, and 0 if nobody knows it.
   */
  oldestUnread(): Promise<number>
}

export type OldRecordsWatch = ReturnType<typeof createOldRecords>

/**
 * Watches for records that may bring events of long ago: those that are unread, and those that are set aside.
 * What was found counts when all epochs that had files by then are compacted: until then a record that was
 * read a moment before is in a hot file, and its tombstone must hide it.
 */
export function createOldRecords({ state, lake, oldestUnread }: OldRecordsServices) {
  /** Until something is known, every tombstone may be needed. */
  let known: OldRecords = { setAside: [], unread: 0 }
  let found: (OldRecords & { epoch: number }) | null = null
  let lookedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<OldRecords & { epoch: number }> {
    // In this order: a record that is read meanwhile may be set aside, and is in this epoch or before it.
    const unread = await oldestUnread()
    const objects = (await Promise.all([QUARANTINE, WAITING, FAILED_BATCHES].map(lake.list))).flat()
    // An object whose time is unknown may be of any time.
    const setAside = objects.map(({ writtenAt = 0 }) => writtenAt)
    return { setAside, unread, epoch: await newestEpochWithFiles({ state, lake }) }
  }

  return {
    /**
     * Which tombstones that are done are no longer needed. `watermarks`: of all buckets, as they were a while
     * ago.
     */
    async forgotten(
      watermarks: readonly Pick<Manifest, 'compacted'>[],
      now: number,
    ): Promise<ForgottenUntil> {
      if (found === null && (now - lookedAt >= LOOK_EVERY_MS || now < lookedAt)) {
        found = await look()
        lookedAt = now
      }
      if (found !== null && found.epoch < compactedByAll(watermarks)) {
        known = found
        found = null
      }
      return forgottenUntil(known, now)
    },
    /** What `forgotten` returns at best. It costs nothing. */
    atBest: (now: number) => forgottenUntil(NOTHING_OLD, now),
  }
}

/**
 * The newest epoch that has a hot file or a claim. An epoch without files is not closed until events arrive,
 * so nothing waits for it.
 */
export async function newestEpochWithFiles({
  state,
  lake,
}: Pick<OldRecordsServices, 'state' | 'lake'>): Promise<number> {
  const { epoch } = await state.lake()
  const shards = await state.shards()
  const isUsed =
    shards.some(({ claim }) => claim?.epoch === epoch) || (await lake.list(hotPrefix(epoch))).length > 0
  return isUsed ? epoch : epoch - 1
}
