import type { LakeStateStore } from '#core/lake/model/state'
import { findSweep, type Sweep } from '#core/lake/model/sweep'
import type { EventStream, Log, Now } from '#core/ports'
import { DAY_MS } from '#core/time'

/**
 * How long the item of a retired shard is kept, ms: longer than a stream keeps records, and a consumer runs.
 */
const RETIRED_MS = 8 * DAY_MS

export type RetireShardsServices = {
  state: Pick<LakeStateStore, 'lake' | 'shards' | 'noteGone' | 'retireShard'>
  /** Absent on one machine, whose shards never go. */
  stream?: Pick<EventStream, 'shards'>
  clock: Now
  log: Log
}

/**
 * Retires shards that the stream no longer has, when nothing needs them: no claim is open, no arrival is
 * ahead of the clock, and no file is left of the epochs up to the one in which they were first missed. Hot
 * files stay for a day after their compaction, so that takes a day. Otherwise each epoch would write to each
 * shard that there ever was. A consumer that comes late all the same finds highWater for a week.
 */
export function createShardRetirement({ state, stream, clock, log }: RetireShardsServices) {
  let lookedAfter = Number.NaN

  /** `sweeps`: as they were a while ago. Looks once after each pass of the sweep of hot files. */
  return async function retireShards(sweeps: readonly Sweep[]): Promise<void> {
    const { sweptAt, hot } = findSweep(sweeps, 'hot')
    if (stream === undefined || sweptAt === lookedAfter) return
    // In this order: a shard that is new is not among the known ones, and the epoch is not before a claim.
    const known = await state.shards()
    const { epoch } = await state.lake()
    const existing = new Set(await stream.shards())
    const now = clock.now()
    for (const { shard, highWater, claim, arrivalAhead = 0, goneEpoch } of known) {
      if (existing.has(shard) || claim !== null || arrivalAhead > now) continue
      if (goneEpoch === undefined) await state.noteGone(shard, highWater, epoch)
      else if (goneEpoch < hot.cleared && (await state.retireShard(shard, highWater, now + RETIRED_MS)))
        log('SHARD_RETIRED', { shard })
    }
    lookedAfter = sweptAt
  }
}
