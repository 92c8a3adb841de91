import { openTombstones } from '#core/lake/erase/tombstones'
import { changeManifest } from '#core/lake/model/change-manifest'
import {
  manifestPrefix,
  parseManifestKey,
  parseSegmentKey,
  parseTombstoneKey,
  SEGMENT_TABLES,
  segmentKeys,
  tombstoneKey,
  tombstonePrefix,
} from '#core/lake/model/keys'
import { dropRetired, forgetEventIds, type Manifest } from '#core/lake/model/manifest'
import { findOldManifests } from '#core/lake/model/old-manifests'
import { createOrphanCheck } from '#core/lake/model/orphans'
import { bucketOfSweep, endPass, findSweep, type Sweep, type SweepName } from '#core/lake/model/sweep'
import { type LakeObject, LIST_PAGE } from '#core/ports'
import { tables } from '#schemas/columns'
import { MANIFEST_PREFIX } from '#schemas/manifests'
import { sweepHot } from './hot-sweep.ts'
import type { SweepServices, SweepSettings } from './sweep-settings.ts'

/** The prefix of the manifests of all buckets, and of their pages. */
const MANIFESTS = `${MANIFEST_PREFIX}bucket=`
/**
 * Time for which a file of tombstones that no manifest names is kept, ms: for reads and jobs that have an
 * older manifest.
 */
const KEEP_UNNAMED_MS = 3_600_000

/**
 * Deletes what nobody needs any more: a job of the queue for each sweep and slice. A slice ends after so many
 * pages of listings, and the state keeps where the next one begins. So the number of objects is never in the
 * way of anything else, and what fails in one bucket stops no other one. due-sweeps.ts decides when a pass
 * begins.
 */
export function createSweeper(services: SweepServices, settings: SweepSettings) {
  const { state, lake, clock } = services

  /** Runs the slice after this version of the sweep. A slice that ran already changes nothing. */
  async function run(name: SweepName, version: number): Promise<void> {
    const saved = findSweep(await state.sweeps(), name)
    if (saved.version !== version) return
    const next = await sweepSlice(saved)
    await state.saveSweep({ ...next, version: version + 1 })
  }

  async function sweepSlice(sweep: Sweep): Promise<Sweep> {
    if (sweep.name === 'hot') return sweepHot(services, settings, sweep)
    const bucket = bucketOfSweep(sweep.name)
    return bucket === null ? sweepManifests(sweep) : sweepSegments(bucket, sweep)
  }

  /** Deletes files of segments that were replaced long ago, and those that no manifest will ever name. */
  async function sweepSegments(bucket: number, saved: Sweep): Promise<Sweep> {
    const now = clock.now()
    // Read before the files are listed: it says of none of them that it is needless, if it was added since.
    const manifest = await state.manifest(bucket)
    const sweep = saved.beganAt === null ? { ...saved, beganAt: now, clearing: clearedUpTo(manifest) } : saved
    const deleted = await deleteRetired(manifest, now)
    if (!deleted.isAll) return sweep
    const isOrphan = createOrphanCheck(manifest)
    const prefixes = SEGMENT_TABLES.map(table => `${tables[table].prefix}/bucket=${bucket}/`)
    let [pages, { after }] = [deleted.pages, sweep]
    for (;;) {
      const prefix = prefixes.find(each => after === null || after.startsWith(each)) as string
      const page = await lake.listPage(prefix, after)
      pages++
      const orphans = page.objects.filter(({ key }) => {
        const file = parseSegmentKey(key)
        return file !== null && isOrphan(file.segment, file.table)
      })
      if (orphans.length > 0) await lake.delete(orphans.map(({ key }) => key))
      // A listing after the next prefix itself begins with its first key.
      after = page.next ?? prefixes[prefixes.indexOf(prefix) + 1] ?? null
      if (after === null) break
      if (pages >= settings.slicePages) return { ...sweep, after }
    }
    // After the orphans: the files stay until the next pass, for the jobs that run now.
    if (forgetEventIds(manifest) !== null) await changeManifest(state, bucket, forgetEventIds)
    return endPass(sweep)
  }

  /**
   * Deletes the files of replaced segments, and then their names in the manifest. A segment that may have
   * erased events is only kept for running reads.
   */
  async function deleteRetired(manifest: Manifest, now: number): Promise<{ pages: number; isAll: boolean }> {
    const { bucket, retired } = manifest
    const expired = retired.filter(segment => {
      const mayHaveErased = openTombstones(manifest, segment).length > 0
      return segment.retiredAt <= now - (mayHaveErased ? settings.keepErasedMs : settings.keepSupersededMs)
    })
    const chosen: typeof expired = []
    const keys: string[] = []
    for (const segment of expired) {
      if (keys.length >= settings.slicePages * LIST_PAGE) break
      chosen.push(segment)
      keys.push(...SEGMENT_TABLES.flatMap(table => segmentKeys(table, bucket, segment)))
    }
    if (chosen.length > 0) {
      await lake.delete(keys)
      await changeManifest(state, bucket, current => dropRetired(current, chosen))
    }
    return { pages: Math.ceil(keys.length / LIST_PAGE), isAll: chosen.length === expired.length }
  }

  /**
   * Deletes manifests that newer ones have replaced, their pages, and files of tombstones that no manifest
   * names. A bucket has as many as it had changes in a day, so all of its manifests are looked at together.
   */
  async function sweepManifests(saved: Sweep): Promise<Sweep> {
    const now = clock.now()
    const sweep = saved.beganAt === null ? { ...saved, beganAt: now } : saved
    // Read before the files are listed: what is written meanwhile has a later version, or is young.
    const named = await state.namedKeys()
    let pages = 0
    if (saved.beganAt === null)
      for (const manifest of (await state.readableManifests()).manifests)
        if (manifest.tombstoneCount > 0) pages += await deleteUnnamed(manifest, now)
    let { after } = sweep
    let begun: LakeObject[] = []
    for (;;) {
      const page = await lake.listPage(MANIFESTS, after)
      pages++
      const buckets = [
        ...Map.groupBy([...begun, ...page.objects], ({ key }) => parseManifestKey(key)?.bucket),
      ]
      // The next page may have more of its objects.
      const last = page.next === null ? undefined : buckets.pop()
      for (const [bucket, objects] of buckets) {
        const keys = named.get(bucket ?? Number.NaN)
        if (keys !== undefined) await deleteOldManifests(objects, keys, now)
      }
      if (page.next === null) return endPass(sweep)
      after = page.next
      begun = last?.[1] ?? []
      // The prefix of a bucket comes before all of its keys.
      const next = last?.[0] === undefined ? after : manifestPrefix(last[0])
      if (pages >= settings.slicePages && next !== sweep.after) return { ...sweep, after: next }
    }
  }

  async function deleteOldManifests(
    objects: readonly LakeObject[],
    named: { version: number; keys: readonly string[] },
    now: number,
  ): Promise<void> {
    const keepMs = settings.keepSupersededMs
    const { old, pages } = findOldManifests(objects, named, { now, keepMs })
    for (const key of pages) if (await isKeptLongEnough(key, keepMs, now)) old.push(key)
    if (old.length > 0) await lake.delete(old)
  }

  /**
   * Deletes files of tombstones that were merged or written again since, and those of a process that has
   * ended before it saved the manifest.
   */
  async function deleteUnnamed({ bucket, tombstones }: Manifest, now: number): Promise<number> {
    const named = new Set(tombstones.map(batch => tombstoneKey(bucket, batch)))
    const objects = await lake.list(tombstonePrefix(bucket))
    for (const { key } of objects) {
      const isYoung = (parseTombstoneKey(key)?.writtenAt ?? now) > now - KEEP_UNNAMED_MS
      if (isYoung || named.has(key)) continue
      if (await isKeptLongEnough(key, KEEP_UNNAMED_MS, now)) await lake.delete([key])
    }
    return Math.max(1, Math.ceil(objects.length / LIST_PAGE))
  }

  /** The first pass notes that nobody names the object any more, and a later one deletes it. */
  async function isKeptLongEnough(key: string, keepMs: number, now: number): Promise<boolean> {
    const isFirst = await state.beginJob(`expire/${key}`, now, 0)
    return !isFirst && (await state.beginJob(`expire/${key}`, now, now - keepMs))
  }

  return { run }
}

/** No live segment has events of tombstones up to this number. */
function clearedUpTo({ segments, tombstoneCount }: Manifest): number {
  return segments.reduce((least, { erased }) => Math.min(least, erased), tombstoneCount)
}
