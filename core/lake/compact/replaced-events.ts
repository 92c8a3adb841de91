import { addRemoved, nextNumber, openTombstones } from '#core/lake/erase/tombstones'
import { changeManifest } from '#core/lake/model/change-manifest'
import type {
  Compactor,
  ReplacedEvent,
  SegmentWithoutReplaced,
  StoredEvents,
} from '#core/lake/model/compactor'
import { type Manifest, replaceSegments, segmentsWithEventIds } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import type { LakeStateStore } from '#core/lake/model/state'

/**
 * A compaction whose events replace stored ones (core/lake/model/copies.ts) also writes the segments that
 * have these anew. One change of the manifest then adds the new segment and exchanges the others, so no read
 * sees both copies or none. A rewritten segment needs a generation of its own, which no other job uses: the
 * manifest counts two on before the files are written, and they get the number between. With the change that
 * exchanges segments it counts on again. So a job that began before, and still has the replaced events, never
 * writes the files of one that began after it.
 */

/** Segments of a bucket that were written anew without replaced events. */
export type Replacement = { segment: Segment; rewritten: SegmentWithoutReplaced }

/**
 * Counts the generation of a bucket on, past one that no other job uses. No segment needs a rewrite for it.
 */
export function countGeneration(manifest: Manifest): Manifest {
  return clearTo({ ...manifest, version: manifest.version + 1, tombstoneCount: nextNumber(manifest) + 1 })
}

/**
 * Segments are merged only if the same erasures are done in them, so those that have all done get the newest
 * number.
 */
function clearTo(manifest: Manifest): Manifest {
  const segments = manifest.segments.map(segment =>
    openTombstones(manifest, segment).length === 0
      ? { ...segment, erased: manifest.tombstoneCount }
      : segment,
  )
  return { ...manifest, segments }
}

/**
 * Writes the segments that have these events anew without them. `manifest`: as countGeneration returned it.
 */
export async function writeWithoutReplaced(
  compactor: Pick<Compactor, 'rewriteSegment'>,
  manifest: Manifest,
  replaced: readonly ReplacedEvent[],
): Promise<Replacement[]> {
  const { bucket, tombstoneCount } = manifest
  const generation = tombstoneCount - 1
  const replacements: Replacement[] = []
  for (const segment of segmentsWithEventIds(manifest)) {
    const tombstones = openTombstones(manifest, segment)
    const rewritten = await compactor.rewriteSegment({ bucket, segment, generation, tombstones, replaced })
    if (rewritten !== null) replacements.push({ segment, rewritten })
  }
  return replacements
}

/**
 * Exchanges the segments in a manifest that is not saved yet. Throws if another job has changed one of them
 * meanwhile; then the compaction must run again.
 */
export function applyReplacements(
  manifest: Manifest,
  replacements: readonly Replacement[],
  now: number,
): Manifest {
  const changed = replacements.reduce((current, { segment, rewritten }) => {
    const next = replaceSegments(current, [segment], rewritten.segment, now)
    if (next === null) throw new Error(`The segments of bucket ${manifest.bucket} have changed meanwhile`)
    return addRemoved(next, rewritten.removed, { files: segment.parts })
  }, manifest)
  // It is one change together with what the manifest has got already.
  if (replacements.length === 0) return manifest
  return { ...clearTo({ ...changed, tombstoneCount: nextNumber(changed) }), version: manifest.version }
}

/** How the counts of stored events change: each replaced event no longer counts. */
export function replacedCounts(replacements: readonly Replacement[]): StoredEvents[] {
  return replacements.flatMap(({ rewritten }) =>
    rewritten.replaced.map(count => ({ ...count, events: -count.events })),
  )
}

/** Does the first half of the work for a bucket: everything but the change of the manifest that shows it. */
export async function replaceEvents(
  { state, compactor }: { state: LakeStateStore; compactor: Pick<Compactor, 'rewriteSegment'> },
  bucket: number,
  replaced: readonly ReplacedEvent[],
): Promise<Replacement[]> {
  if (replaced.length === 0) return []
  let counted: Manifest | null = null
  await changeManifest(state, bucket, manifest => {
    counted = countGeneration(manifest)
    return counted
  })
  return writeWithoutReplaced(compactor, counted ?? (await state.manifest(bucket)), replaced)
}
