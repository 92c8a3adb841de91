import { forEachConcurrent } from '#core/async/concurrency'
import type { LakeConsumer } from '#core/lake/consume/consumer'
import type { TombstoneMending } from '#core/lake/erase/mend-tombstones'
import { changeManifest } from '#core/lake/model/change-manifest'
import type { Claim } from '#core/lake/model/claim'
import type { Compactor } from '#core/lake/model/compactor'
import {
  parseHotKey,
  parseSegmentKey,
  SEGMENT_TABLES,
  type SegmentTable,
  segmentKey,
} from '#core/lake/model/keys'
import type { Manifest } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import type { LakeStateStore } from '#core/lake/model/state'
import { findSweep, firstHotEpoch } from '#core/lake/model/sweep'
import type { EventStream, Lake, Log, Now } from '#core/ports'
import { sumOf } from '#core/sum'
import type { UsageCounters } from '#core/usage/counters'
import { tables } from '#schemas/columns'
import { chooseSegments, manifestOfSegments, type StoredSegment } from './choose-segments.ts'
import { findMissingRecords, type MissingRecords } from './missing-records.ts'
import { openEpochs } from './raise-epoch.ts'
import { findUnreadSegments } from './unread-segments.ts'

export type RestoreLakeServices = {
  state: LakeStateStore
  stream: Pick<EventStream, 'read' | 'shards'>
  lake: Lake
  consumer: Pick<LakeConsumer, 'rewriteHotFile' | 'finishClaim'>
  compactor: Pick<Compactor, 'describeSegment'>
  usage: Pick<UsageCounters, 'openCounts' | 'foldEpoch'>
  /** Writes tombstones again that the state remembers, and that no manifest or no file has. */
  tombstones: Pick<TombstoneMending, 'mendMissing' | 'openRenewal'>
  /**
   * Removes from the state what it knows of persons who are erased by the tombstones of a manifest, and whose
   * erasure it does not know. Returns how many ids (core/identity/repeat-erasures.ts).
   */
  repeatErasures(manifest: Manifest): Promise<number>
  clock: Now
  log: Log
}

/** What a restoration has found. */
export type RestoredLake = {
  /** Buckets whose manifests now name other files. */
  buckets: number
  /** Records that were taken from the stream again, and their events. */
  records: number
  events: number
  /** Ids of persons who were erased since the state, and of whom it knew something. */
  erased: number
  /**
   * What is lost: events of missing files, records of unknown place, segments that must not be used,
   * manifests whose events nobody has.
   */
  lost: { events: number; records: number; segments: number; manifests: number }
}

/** Shards that are searched at the same time. */
const SHARDS_AT_ONCE = 16

type HotFile = { shard: string; claim: Claim }
type Plan = { manifest: Manifest; choice: NonNullable<ReturnType<typeof chooseSegments>> }

/**
 * Makes the manifests agree with the files, before the service takes traffic. Lake and state can be of
 * different times: one of them was restored from a backup, or the folder was copied while the service ran.
 * Call it after `reconcile`, which opens lost claims again.
 *
 * - A manifest that names missing files gets other segments with the same events, or a lower watermark, so
 *   that epochs are compacted again from their hot files (choose-segments.ts).
 * - Records of the last hours that the state takes for stored and that no hot file has are taken from the
 *   stream again. They may be in segments that are newer than the hot files, so such segments are not used.
 * - Files of tombstones that manifests name and that are missing are written again. So are the tombstones of
 *   manifests that are lost.
 * - Segments that the manifests do not know are not used if they may have events of records that the consumer
 *   has still to read.
 *
 * It may be killed and repeated. Events that cannot be found are logged as LAKE_BEHIND.
 */
export async function restoreLake(services: RestoreLakeServices): Promise<RestoredLake> {
  const { state, lake, tombstones, log } = services
  const hotFiles = await listHotFiles(lake)
  const stored = await listSegments(lake)
  let erased = 0
  const renew = tombstones.openRenewal()
  const adopted = await state.adoptManifests(async (manifest, hasErasures) => {
    await state.forgetSweeps()
    erased += await services.repeatErasures(manifest)
    return hasErasures ? manifest : renew(manifest)
  })
  const manifests = await state.manifests()
  await tombstones.mendMissing(manifests)
  const ends = [...stored.values()].flat().map(({ until }) => until)
  await openEpochs(services, Math.max(1, ...ends, ...manifests.map(({ compacted }) => compacted)))
  const { epoch } = await state.lake()

  const hotEpochs = new Set(hotFiles.map(({ claim }) => claim.epoch))
  const firstHot = Math.min(epoch, ...hotEpochs)
  const missing = await findAllMissing(services, hotFiles)
  const unreadSegments: StoredSegment[] = []
  for (const manifest of manifests) {
    const bucketSegments = stored.get(manifest.bucket) ?? []
    const unread = await findUnreadSegments(services, manifest, bucketSegments, firstHot)
    stored.set(
      manifest.bucket,
      bucketSegments.filter(segment => !unread.includes(segment)),
    )
    unreadSegments.push(...unread)
  }
  const plan = (trustedUntil: number) =>
    manifests.flatMap((manifest): Plan[] => {
      const files = { stored: stored.get(manifest.bucket) ?? [], firstHot, trustedUntil }
      const choice = chooseSegments(manifest, files)
      return choice === null ? [] : [{ manifest, choice }]
    })
  const trustedUntil = trustedEpochs(missing, ends.length > 0)
  const carefulPlans = trustedUntil === null ? [] : plan(trustedUntil)
  const canTakeAgain = trustedUntil !== null && carefulPlans.every(({ choice }) => !choice.isAmbiguous)
  const takenAgain = canTakeAgain ? missing : []
  const plans = canTakeAgain ? carefulPlans : plan(Number.POSITIVE_INFINITY)

  // The saved sweeps describe other manifests, or a lake without the files that are back now. They go before
  // the first change: a call that is repeated after a kill finds what was changed already as it should be.
  const isBack = firstHot < firstHotEpoch(findSweep(await state.sweeps(), 'hot'))
  if (plans.length > 0 || takenAgain.length > 0 || isBack) await state.forgetSweeps()
  if (takenAgain.length > 0) {
    await finishOpenClaims(services)
    await foldOpenCounts(services)
    // New events are in a later epoch, because no event of this one is counted any more.
    await openEpochs(services, epoch + 1)
  }
  let lostEvents = 0
  for (const each of plans) lostEvents += await applyPlan(services, each, hotEpochs)
  const events = await takeAgain(services, takenAgain, epoch)
  const records = sumOf(takenAgain, each => each.records)
  const isChanged = plans.length > 0 || records > 0 || adopted.buckets > 0
  if (isChanged) log('LAKE_RESTORED', { buckets: plans.length, records, events, erased })
  const lost = {
    events: Math.max(0, lostEvents - events),
    records: sumOf(missing, each => each.records) - records,
    segments: unreadSegments.length,
    manifests: records > 0 ? 0 : adopted.behind.filter(range => isMissing(range, hotEpochs)).length,
  }
  if (Object.values(lost).some(count => count > 0)) log('LAKE_BEHIND', lost)
  return { buckets: plans.length, records, events, erased, lost }
}

async function listHotFiles(lake: Lake): Promise<HotFile[]> {
  const objects = await lake.list(`${tables.events_hot.prefix}/`)
  return objects.map(({ key }) => parseHotKey(key)).filter(file => file !== null)
}

/** The segments of each bucket that have a file of events. */
async function listSegments(lake: Lake): Promise<Map<number, StoredSegment[]>> {
  const keys = new Set<string>()
  for (const table of SEGMENT_TABLES) {
    for (const { key } of await lake.list(`${tables[table].prefix}/`)) keys.add(key)
  }
  const buckets = new Map<number, StoredSegment[]>()
  for (const key of keys) {
    const file = parseSegmentKey(key)
    // Each segment has a first part.
    if (file === null || file.table !== 'segment_events' || file.part !== 0) continue
    const { bucket, segment } = file
    const countParts = (...names: SegmentTable[]) => {
      let part = 0
      while (names.every(table => keys.has(segmentKey(table, bucket, segment, part)))) part++
      return part
    }
    const stored = {
      ...segment,
      parts: countParts('segment_events', 'segment_sessions', 'segment_activity'),
      eventParts: countParts('segment_events'),
      idParts: countParts('segment_event_ids'),
    }
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), stored])
  }
  return buckets
}

async function findAllMissing(
  { state, stream, clock }: RestoreLakeServices,
  hotFiles: readonly HotFile[],
): Promise<MissingRecords[]> {
  const filesOfShard = Map.groupBy(hotFiles, ({ shard }) => shard)
  const missing: MissingRecords[] = []
  await forEachConcurrent(await state.shards(), SHARDS_AT_ONCE, async ({ shard, highWater }) => {
    if (highWater === null) return
    const claims = (filesOfShard.get(shard) ?? []).map(({ claim }) => claim)
    missing.push(...(await findMissingRecords(stream, { shard, highWater, claims, now: clock.now() })))
  })
  return missing
}

/**
 * Up to which epoch segments certainly have no missing record; null if nobody knows, because there is no hot
 * file before a missing record. Then the records may be in any segment.
 */
function trustedEpochs(missing: readonly MissingRecords[], hasSegments: boolean): number | null {
  if (!hasSegments) return Number.POSITIVE_INFINITY
  const epochs = missing.map(({ epochBefore }) => epochBefore)
  return epochs.some(epoch => epoch === null)
    ? null
    : Math.min(Number.POSITIVE_INFINITY, ...epochs.map(Number))
}

/**
 * Saves the manifest of a plan, without the segments that cannot be read; the compactor logs these. Returns
 * how many events of the old manifest are neither in segments nor in hot files, as far as is known.
 */
async function applyPlan(
  { state, compactor }: RestoreLakeServices,
  { manifest, choice: { segments, compacted } }: Plan,
  hotEpochs: ReadonlySet<number>,
): Promise<number> {
  const described: Segment[] = []
  for (const segment of segments) {
    if ('rows' in segment) described.push(segment)
    else described.push(...(await compactor.describeSegment(manifest.bucket, segment).then(toList, () => [])))
  }
  // On AWS a request can add an erasure meanwhile, and it stays.
  await changeManifest(state, manifest.bucket, current => manifestOfSegments(current, described, compacted))
  return sumOf(manifest.segments, segment => countLost(segment, described, compacted, hotEpochs))
}

/**
 * How many events of a segment are lost. 0 if some of its epochs have hot files: nobody knows how many events
 * these have.
 */
function countLost(
  segment: Segment,
  segments: readonly Segment[],
  compacted: number,
  hotEpochs: ReadonlySet<number>,
): number {
  if (segments.some(({ from, until }) => from <= segment.from && until >= segment.until)) return 0
  const redoFrom = Math.max(segment.from, compacted)
  for (let epoch = redoFrom; epoch < segment.until; epoch++) if (hotEpochs.has(epoch)) return 0
  const within = segments.filter(({ from, until }) => from >= segment.from && until <= segment.until)
  return Math.max(0, segment.rows - sumOf(within, ({ rows }) => rows))
}

function toList(segment: Segment): Segment[] {
  return [segment]
}

/**
 * Finishes the open claims, because events of a claim that is counted after the fold of its epoch would count
 * nowhere.
 */
async function finishOpenClaims({ state, consumer }: RestoreLakeServices): Promise<void> {
  for (const { shard, claim, highWater } of await state.shards()) {
    if (claim !== null) await consumer.finishClaim(shard, claim, highWater)
  }
}

/**
 * Folds the open counts as they are. The missing records are counted among them, or in epochs that are folded
 * already. So no epoch that is open now may be counted once more when it is compacted.
 */
async function foldOpenCounts({ usage }: RestoreLakeServices): Promise<void> {
  const epochs = Map.groupBy(await usage.openCounts(), ({ epoch }) => epoch)
  for (const [epoch, counts] of [...epochs].toSorted(([a], [b]) => a - b)) {
    for (const [bucket, bucketCounts] of Map.groupBy(counts, count => count.bucket)) {
      await usage.foldEpoch(epoch, bucket, bucketCounts)
    }
  }
}

/** Whether the hot files of an epoch are gone, so that it cannot be compacted again. */
function isMissing({ from, until }: { from: number; until: number }, hotEpochs: ReadonlySet<number>) {
  return Array.from({ length: until - from }, (_, i) => from + i).some(epoch => !hotEpochs.has(epoch))
}

/** Writes hot files with the missing records, in the epoch `epoch`. Returns the number of events. */
async function takeAgain(
  { consumer, usage }: RestoreLakeServices,
  missing: readonly MissingRecords[],
  epoch: number,
): Promise<number> {
  let events = 0
  for (const { shard, first, last, counts } of missing) {
    // They are counted already. So the compaction of this epoch must not count them.
    for (const [bucket, bucketCounts] of Map.groupBy(counts, count => count.bucket)) {
      await usage.foldEpoch(
        epoch,
        bucket,
        bucketCounts.map(count => ({ ...count, events: 0 })),
      )
    }
    await consumer.rewriteHotFile(shard, { first, last, epoch })
    for (const count of counts) events += count.events
  }
  return events
}
