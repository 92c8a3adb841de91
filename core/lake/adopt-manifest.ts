import { emptyManifest, type Manifest } from './manifest.ts'

/**
 * The manifest of a bucket after state and lake were restored to different times; null if the one that the
 * state names can stay. `version` and `known`: what the state names, null if the lake does not have it or
 * it is damaged. `newest`: the newest manifest of the lake.
 *
 * - A newer manifest of the lake says what was erased since: its tombstones win, so nothing that was erased
 *   is readable again. Its segments do not win, because the counters and the positions of the consumer are as
 *   old as the state: epochs are compacted again from the hot files, and restore-lake.ts takes the segments
 *   whose hot files are gone.
 * - If the lake is older than the state, its newest manifest is the state of the lake.
 */
export function adoptManifest({
  bucket,
  version,
  known,
  newest,
}: {
  bucket: number
  version: number
  known: Manifest | null
  newest: Manifest | null
}): Manifest | null {
  const isNewer = newest !== null && newest.version > version
  if (known !== null && !isNewer) return null
  // Above every version that was ever given, so that its object is the newest one.
  const next = 1 + Math.max(version, newest?.version ?? 0)
  if (newest === null) return { ...emptyManifest(bucket), version: next }
  if (!isNewer) return { ...newest, version: next }
  return { ...withTombstones(known ?? emptyManifest(bucket), newest), version: next }
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
