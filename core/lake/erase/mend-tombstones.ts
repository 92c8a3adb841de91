import { tombstoneKey } from '#core/lake/model/keys'
import type { Manifest } from '#core/lake/model/manifest'
import { NOTHING_DONE, type TombstoneBatch } from '#core/lake/model/tombstone-batch'
import type { Lake, Log, Now } from '#core/ports'
import { bucketOf } from '#core/state/bucket-of'
import { tables } from '#schemas/columns'
import { describeRows, encodeTombstones, type TombstoneRow } from './tombstone-file.ts'
import { addBatch, nextNumber, userKeyOf } from './tombstones.ts'

/** What the state remembers of the erasure of an id. `until`: Unix ms of the last arrival that is erased. */
export type NotedErasure = { project_id: string; user_hash: string; until: number }

export type TombstoneMendingServices = {
  lake: Pick<Lake, 'list' | 'put'>
  /** The erased ids of projects, or of all, page by page (core/identity/erased-users.ts). */
  noted(projects: readonly string[] | null): AsyncIterable<NotedErasure[]>
  clock: Now
  log: Log
}

/**
 * Before arrivals were known by the ms, an erasure in several projects was noted with the latest `until` of
 * them, s.
 */
const LATER_S = 60

/**
 * Writes files of tombstones again that are missing or damaged. Without its file a bucket cannot be read or
 * compacted, because nobody could tell which events are erased. The state remembers the ids of erased persons
 * for as long as their tombstones are in force, so their rows are all there. Rows of whole projects are not:
 * a deleted project stays hidden without them, and so does what is older than a plan shows, and the next
 * round of retention erases up to a later day.
 */
export function createTombstoneMending({ lake, noted, clock, log }: TombstoneMendingServices) {
  /**
   * Writes the file of a batch again. Returns false, and writes nothing, if the state remembers no row of
   * persons that it must have.
   */
  async function mend(bucket: number, batch: TombstoneBatch): Promise<boolean> {
    const { number, oldestUntil, newestUntil, projects } = batch
    const rows: TombstoneRow[] = []
    if (oldestUntil !== null) {
      for await (const page of noted(projects)) {
        for (const { project_id, user_hash, until } of page) {
          // Without a list, those of all buckets come.
          if (projects === null && bucketOf(project_id) !== bucket) continue
          if (until < oldestUntil * 1_000 || until >= (newestUntil + 1 + LATER_S) * 1_000) continue
          const row = { project_id, user_key: userKeyOf(user_hash), user_hash, number }
          rows.push({ ...row, erased_until_ms: Math.min(until, newestUntil * 1_000 + 999) })
        }
      }
    }
    if (rows.length === 0 && oldestUntil !== null && batch.doneAt === null) return false
    await lake.put(tombstoneKey(bucket, batch), encodeTombstones(rows))
    return true
  }

  /** Writes all files again that manifests name and that are missing. */
  async function mendMissing(manifests: readonly Pick<Manifest, 'bucket' | 'tombstones'>[]): Promise<void> {
    const named = manifests.filter(({ tombstones }) => tombstones.length > 0)
    if (named.length === 0) return
    const present = new Set((await lake.list(`${tables.tombstones.prefix}/`)).map(({ key }) => key))
    for (const { bucket, tombstones } of named) {
      for (const batch of tombstones) {
        const key = tombstoneKey(bucket, batch)
        if (present.has(key)) continue
        log((await mend(bucket, batch)) ? 'LAKE_OBJECT_REPAIRED' : 'LAKE_OBJECT_LOST', { key })
      }
    }
  }

  /**
   * For manifests that the lake has lost, or has in an older version: returns what adds a batch of all
   * persons of the bucket that the state remembers as erased. The state is read once, when it is first
   * needed.
   */
  function openRenewal(): (manifest: Manifest) => Promise<Manifest> {
    let buckets: Promise<Map<number, NotedErasure[]>> | undefined
    return async manifest => {
      buckets ??= notedByBucket()
      const number = nextNumber(manifest)
      const rows = ((await buckets).get(manifest.bucket) ?? []).map(({ project_id, user_hash, until }) => ({
        ...{ project_id, user_key: userKeyOf(user_hash), user_hash, number, erased_until_ms: until },
      }))
      if (rows.length === 0) return manifest
      const now = clock.now()
      // Receipts of lost batches have a number between.
      const first = (manifest.tombstones.at(-1)?.number ?? 0) + 1
      const batch = { number, first, writer: `${now}-0`, ...describeRows(rows) }
      await lake.put(tombstoneKey(manifest.bucket, batch), encodeTombstones(rows))
      const { tombstones, ...added } = addBatch(manifest, batch, now)
      // Its hot files may have come back.
      const renewed = tombstones.map(each => (each.number === number ? { ...each, ...NOTHING_DONE } : each))
      return { ...added, version: manifest.version, tombstones: renewed }
    }
  }

  async function notedByBucket(): Promise<Map<number, NotedErasure[]>> {
    const buckets = new Map<number, NotedErasure[]>()
    for await (const page of noted(null)) {
      for (const note of page) {
        const bucket = bucketOf(note.project_id)
        const ofBucket = buckets.get(bucket)
        if (ofBucket === undefined) buckets.set(bucket, [note])
        else ofBucket.push(note)
      }
    }
    return buckets
  }

  return { mend, mendMissing, openRenewal }
}

export type TombstoneMending = ReturnType<typeof createTombstoneMending>
