import { randomBytes } from 'node:crypto'
import { changeManifest } from '#core/lake/model/change-manifest'
import type { Compactor } from '#core/lake/model/compactor'
import { hotPrefix } from '#core/lake/model/keys'
import { type Manifest, replaceSegments } from '#core/lake/model/manifest'
import { firstOpenEpoch } from '#core/lake/model/open-epochs'
import type { Segment } from '#core/lake/model/segment'
import type { LakeStateStore } from '#core/lake/model/state'
import { findSweep, firstHotEpoch } from '#core/lake/model/sweep'
import type { ForgottenUntil } from '#core/lake/model/tombstone-batch'
import type { Lake, Log, Now } from '#core/ports'
import { replaceBatches } from './old-tombstones.ts'
import { addRemoved, markCleared, noteHotCleared, openTombstones, unclearedSegments } from './tombstones.ts'

/** How long a job begins further epochs or segments, ms. A worker on AWS has 15 minutes in all. */
export const BEGIN_MS = 5 * 60_000

export type RewritePace = {
  /**
   * How long a job begins further files, ms. Where jobs run one after the other, compaction waits so long.
   */
  sliceMs: number
  /**
   * Hot files from which on a call of the compactor gets no further epoch. A call opens a database and reads
   * the tombstones, which takes as long as the ends of 500 files.
   */
  files: number
}

export const REWRITE_PACE: RewritePace = { sliceMs: BEGIN_MS, files: 500 }

export type RewriterServices = {
  state: LakeStateStore
  lake: Lake
  compactor: Pick<Compactor, 'rewriteSegment' | 'rewriteHot' | 'mergeTombstones'>
  clock: Now
  log: Log
  pace?: RewritePace
}

/**
 * Writes files anew without erased events. A rewrite that runs again, or was killed, goes on where files
 * still have such events.
 */
export function createRewriter({
  state,
  lake,
  compactor,
  clock,
  log,
  pace = REWRITE_PACE,
}: RewriterServices) {
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
      if (segment === undefined || (next > from && clock.now() - startedAt >= pace.sliceMs)) break
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
   * Rewrites hot files of the epochs [from, until), whose rows are in segments, in place: a file has the
   * events of many, and a repair or a restore may need those (core/lake/README.md). Lists one epoch after the
   * other, from the first one that may have files on. Ends after its slice of time, and notes how far it has
   * come.
   */
  async function rewriteHot(
    { from, until }: { from: number; until: number },
    named: readonly { bucket: number; number: number }[],
  ): Promise<void> {
    const startedAt = clock.now()
    const buckets: Pick<Manifest, 'bucket' | 'tombstones'>[] = []
    for (const [bucket, group] of Map.groupBy(named, each => each.bucket)) {
      const numbers = new Set(group.map(({ number }) => number))
      const { tombstones } = await state.manifest(bucket)
      buckets.push({ bucket, tombstones: tombstones.filter(({ number }) => numbers.has(number)) })
    }
    const first = firstHotEpoch(findSweep(await state.sweeps(), 'hot'))
    // A job that was sent before a restoration may name epochs that the restoration has opened again.
    const end = Math.min(until, firstOpenEpoch(await state.lake(), await state.shards()))
    let cleared = end
    let files = 0
    let keys: string[] = []
    for (let epoch = Math.max(from, first); epoch < end; epoch++) {
      keys.push(...(await lake.list(hotPrefix(epoch))).map(({ key }) => key))
      const isSliceOver = () => clock.now() - startedAt >= pace.sliceMs
      if (keys.length < pace.files && epoch < end - 1 && !isSliceOver()) continue
      if (keys.length > 0) files += await compactor.rewriteHot({ keys, buckets })
      keys = []
      if (!isSliceOver()) continue
      cleared = epoch + 1
      break
    }
    for (const { bucket, tombstones } of buckets) {
      const numbers = tombstones.map(({ number }) => number)
      await changeManifest(state, bucket, current => noteHotCleared(current, numbers, cleared))
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
