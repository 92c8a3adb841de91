import { randomBytes } from 'node:crypto'
import { changeManifest } from '#core/lake/model/change-manifest'
import type { Compactor } from '#core/lake/model/compactor'
import { parseHotKey } from '#core/lake/model/keys'
import { type Manifest, replaceSegments } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import type { LakeStateStore } from '#core/lake/model/state'
import type { ForgottenUntil } from '#core/lake/model/tombstone-batch'
import type { Lake, Log, Now } from '#core/ports'
import { tables } from '#schemas/columns'
import { replaceBatches } from './old-tombstones.ts'
import { addRemoved, markCleared, noteHotCleared, openTombstones, unclearedSegments } from './tombstones.ts'

/** How long a job begins further epochs or segments, ms. A worker on AWS has 15 minutes in all. */
export const BEGIN_MS = 5 * 60_000

export type RewriterServices = {
  state: LakeStateStore
  lake: Lake
  compactor: Pick<Compactor, 'rewriteSegment' | 'rewriteHot' | 'mergeTombstones'>
  clock: Now
  log: Log
}

/**
 * Writes files anew without erased events. A rewrite that runs again, or was killed, goes on where files
 * still have such events.
 */
export function createRewriter({ state, lake, compactor, clock, log }: RewriterServices) {
  /**
   * Rewrites the segments from the epoch `from` on that may have events of the tombstones up to `number`, one
   * after the other. Newer erasures do not make it longer, but a segment that is rewritten loses their events
   * too. A segment that cannot be read stays as it is, and its failure is thrown after the others.
   */
  async function rewriteBucket(bucket: number, number: number, from: number): Promise<void> {
    const startedAt = clock.now()
    const failures: unknown[] = []
    for (let next = from; ; ) {
      const manifest = await state.manifest(bucket)
      const segment = unclearedSegments(manifest, number).find(candidate => candidate.from >= next)
      if (segment === undefined || (next > from && clock.now() - startedAt >= BEGIN_MS)) break
      await rewrite(manifest, segment).catch(error => failures.push(error))
      next = segment.until
    }
    if (failures.length > 0) throw failures[0]
  }

  /**
   * Rewrites a segment, or notes that it has no erased events. Does nothing if the segment is no longer live
   * by then.
   */
  async function rewrite(manifest: Manifest, segment: Segment): Promise<void> {
    const started = clock.now()
    const { bucket, tombstoneCount: generation } = manifest
    const tombstones = openTombstones(manifest, segment)
    const rewritten = await compactor.rewriteSegment({ bucket, segment, generation, tombstones })
    await changeManifest(state, bucket, current => {
      if (rewritten === null) return markCleared(current, segment, generation)
      const replaced = replaceSegments(current, [segment], rewritten.segment, clock.now())
      return replaced && addRemoved(replaced, rewritten.removed, { files: segment.parts })
    })
    if (rewritten === null) return
    const events = rewritten.removed.reduce((sum, removed) => sum + removed.events, 0)
    log('SEGMENT_REWRITTEN', { bucket, events, ms: clock.now() - started })
  }

  /**
   * Rewrites hot files whose rows are in segments, in place: a repair may need them, and a start takes a
   * record without a hot file for one that is lost (missing-records.ts).
   */
  async function rewriteHot(
    until: number,
    named: readonly { bucket: number; number: number }[],
  ): Promise<void> {
    const buckets: Pick<Manifest, 'bucket' | 'tombstones'>[] = []
    for (const [bucket, group] of Map.groupBy(named, each => each.bucket)) {
      const numbers = new Set(group.map(({ number }) => number))
      const { tombstones } = await state.manifest(bucket)
      buckets.push({ bucket, tombstones: tombstones.filter(({ number }) => numbers.has(number)) })
    }
    const objects = await lake.list(`${tables.events_hot.prefix}/`)
    const keys = objects.map(({ key }) => key).filter(key => (parseHotKey(key)?.claim.epoch ?? until) < until)
    const files = await compactor.rewriteHot({ keys, buckets })
    for (const { bucket, tombstones } of buckets) {
      const numbers = tombstones.map(({ number }) => number)
      await changeManifest(state, bucket, current => noteHotCleared(current, numbers, until))
    }
    if (files > 0) log('HOT_FILES_REWRITTEN', { files })
  }

  /**
   * Merges the batches of tombstones from `first` to `number`, if all are done. Rows that are no longer
   * needed are left out.
   */
  async function mergeTombstones(
    bucket: number,
    { first, number, forgotten }: { first: number; number: number; forgotten: ForgottenUntil },
  ): Promise<void> {
    const { tombstones } = await state.manifest(bucket)
    const batches = tombstones.filter(batch => batch.first >= first && batch.number <= number)
    if (batches.length < 2 || batches.some(({ doneAt }) => doneAt === null)) return
    const writer = `${clock.now()}-${randomBytes(4).toString('hex')}`
    const merged = await compactor.mergeTombstones({ bucket, batches, writer, forgotten })
    await changeManifest(state, bucket, current => replaceBatches(current, batches, merged))
  }

  return { rewriteBucket, rewriteHot, mergeTombstones }
}
