import { lakeGauges, waitingEpochs } from '#core/lake/model/gauges'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Now } from '#core/ports'
import type { DiskReading } from '#local/stream/disk-reserve'

export type ReadingServices = {
  lakeState: Pick<LakeStateStore, 'lake' | 'shards' | 'manifestHeads' | 'readableManifests'>
  /** Unix ms before which every event is in the lake; null if nobody can say. */
  freshUntil(): Promise<number | null>
  waitingBytes(): Promise<number>
  disk(): DiskReading
  lastBackup(): number | null
  clock: Now
}

/** How the service is, at one time. Times in seconds, sizes in bytes. */
export type Readings = {
  /** How old the oldest event is that reports do not have yet; null if nobody can say. */
  lake_lag_seconds: number | null
  /** Records of the log that the lake does not have yet. */
  waiting_bytes: number
  waiting_epochs: number
  compaction_lag_seconds: number
  claim_age_seconds: number
  /** Of the largest manifest of a bucket, without its pages. */
  manifest_bytes: number
  erasures_waiting: number
  disk: DiskReading
  /** Null: no backup of this folder is known. */
  backup_age_seconds: number | null
}

/** Erasures are counted from all manifests, which may have megabytes, so once in this time at most, ms. */
const ERASURES_KEPT_MS = 60_000

/** Reads how the service is. It rejects when the state cannot be read. */
export function createReadings(services: ReadingServices) {
  const { lakeState, freshUntil, waitingBytes, disk, lastBackup, clock } = services
  let erasures = { at: Number.NEGATIVE_INFINITY, waiting: Promise.resolve(0) }

  function erasuresWaiting(): Promise<number> {
    // A clock that was set back says nothing about the age.
    if (Math.abs(clock.now() - erasures.at) >= ERASURES_KEPT_MS) {
      const waiting = countErasures(lakeState)
      erasures = { at: clock.now(), waiting }
      waiting.catch(() => {
        erasures.at = Number.NEGATIVE_INFINITY
      })
    }
    return erasures.waiting
  }

  return async function readAll(): Promise<Readings> {
    // Before the reads, whose own time is no age of what they find.
    const now = clock.now()
    const [lake, shards, manifests, fresh, waiting, erasures_waiting] = await Promise.all([
      lakeState.lake(),
      lakeState.shards(),
      lakeState.manifestHeads(),
      freshUntil(),
      waitingBytes(),
      erasuresWaiting(),
    ])
    const gauges = lakeGauges({ lake, shards, manifests }, now)
    const backup = lastBackup()
    return {
      lake_lag_seconds: fresh === null ? null : secondsSince(fresh, now),
      waiting_bytes: waiting,
      waiting_epochs: waitingEpochs(lake, manifests),
      compaction_lag_seconds: gauges.CompactionLagSeconds,
      claim_age_seconds: gauges.ClaimAgeSeconds,
      manifest_bytes: gauges.ManifestBytes,
      erasures_waiting,
      disk: disk(),
      backup_age_seconds: backup === null ? null : secondsSince(backup, now),
    }
  }
}

export type ReadAll = ReturnType<typeof createReadings>

function secondsSince(at: number, now: number): number {
  return Math.max(0, (now - at) / 1_000)
}

/**
 * The erasures whose events are hidden and not yet gone from every file. Those of a manifest that cannot be
 * read are left out; maintenance names it in the log.
 */
async function countErasures(state: Pick<LakeStateStore, 'readableManifests'>): Promise<number> {
  let waiting = 0
  for (const { tombstones } of (await state.readableManifests()).manifests)
    for (const { first, number, doneAt } of tombstones) if (doneAt === null) waiting += number - first + 1
  return waiting
}
