import type { Manifest } from './manifest.ts'

export type StoredManifests = {
  /** Of the manifest that the state names; 0: none. */
  version: number
  /** Whether the lake has that manifest, undamaged. */
  isKnown: boolean
  /** The manifest that the state names, else the newest one before it in the lake, else an empty one. */
  base: Manifest
  /** The newest one in the lake; of several with one version, the one with the newest erasure. */
  newest: Manifest | null
}

/**
 * The manifest of a bucket after state and lake were restored to different times; null if the one that the
 * state names can stay.
 *
 * - A newer manifest of the lake says what was erased since: its tombstones win, so nothing that was erased
 *   is readable again. Its segments do not win, because the counters and the positions of the consumer are as
 *   old as the state: epochs are compacted again from the hot files, which are kept for a day, and
 *   restore-lake.ts takes the segments whose hot files are gone.
 * - A manifest that the lake does not have, because the lake is older or the object was deleted since, gives
 *   way to the one before it. The epochs between are compacted again.
 */
export function adoptManifest({ version, isKnown, base, newest }: StoredManifests): Manifest | null {
  const isNewer = newest !== null && newest.version > version
  if (isKnown && !isNewer) return null
  // Above every version that was ever given, so that its object is the newest one.
  const next = { ...base, version: 1 + Math.max(version, newest?.version ?? 0) }
  return isNewer ? withTombstones(next, newest) : next
}

/**
 * The manifest with the tombstones of a newer one. The files of its segments may have their events again, so
 * none of them is done.
 */
function withTombstones(manifest: Manifest, { tombstones, tombstoneCount, round }: Manifest): Manifest {
  return {
    ...manifest,
    tombstoneCount,
    round,
    tombstones: tombstones.map(batch => ({ ...batch, lastEpoch: null, hotUntil: 0, doneAt: null })),
  }
}
