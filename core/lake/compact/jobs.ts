import { hash } from 'node:crypto'
import type { TombstoneMending } from '#core/lake/erase/mend-tombstones'
import { BEGIN_MS, createRewriter, type RewriterServices } from '#core/lake/erase/rewriter'
import { addRemoved, openTombstones } from '#core/lake/erase/tombstones'
import { changeManifest } from '#core/lake/model/change-manifest'
import type { BucketCompaction, CompactedBucket, Compactor, StoredEvents } from '#core/lake/model/compactor'
import { hotPrefix, segmentKeys, supersededJobName } from '#core/lake/model/keys'
import {
  addEpoch,
  isMergeable,
  type Manifest,
  replaceSegments,
  segmentsWithEventIds,
} from '#core/lake/model/manifest'
import { firstOpenEpoch } from '#core/lake/model/open-epochs'
import type { Segment, SegmentId } from '#core/lake/model/segment'
import type { LakeStateStore } from '#core/lake/model/state'
import type { SweepName } from '#core/lake/model/sweep'
import type { ForgottenUntil } from '#core/lake/model/tombstone-batch'
import type { Lake, LakeObject, Log, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { UsageCounters } from '#core/usage/counters'
import { applyReplacements, type Replacement, replacedCounts, replaceEvents } from './replaced-events.ts'
import { SWEEPS, type SweepSettings } from './sweep-settings.ts'
import { createSweeper } from './sweeper.ts'

/** Work on the lake for a worker. A job that runs twice, or late, changes nothing. */
export type LakeJob =
  /** Compacts the closed epochs [from, until) of these buckets, one epoch after the other. */
  | { kind: 'compact'; from: number; until: number; buckets: readonly number[] }
  /** Merges the segments of the epochs [from, until) of a bucket. */
  | { kind: 'merge'; bucket: number; from: number; until: number }
  /**
   * Writes the segments of a bucket from the epoch `from` on anew that may have events of its tombstones up
   * to `number`.
   */
  | { kind: 'rewrite'; bucket: number; number: number; from: number }
  /**
   * Writes the compacted hot files of the epochs [from, until) anew without the events of these batches of
   * tombstones. A message of a version before 2026-11-29 has no `from`, and is for all epochs below `until`.
   */
  | {
      kind: 'rewrite-hot'
      from?: number
      until: number
      tombstones: readonly { bucket: number; number: number }[]
    }
  /** Goes on with a sweep, after this version of it. */
  | { kind: 'sweep'; sweep: SweepName; version: number }
  /** Writes files of tombstones again that are missing. */
  | { kind: 'mend-tombstones' }
  /** Merges the files of the tombstones from `first` to `number`. */
  | { kind: 'merge-tombstones'; bucket: number; first: number; number: number; forgotten: ForgottenUntil }

/**
 * The name under which the state notes when a job was sent. A compaction or a rewrite that has made progress
 * continues under another name: from another epoch, or with other buckets.
 */
export function jobName(job: LakeJob): string {
  if (job.kind === 'merge') return `merge/${job.bucket}/${job.from}-${job.until}`
  if (job.kind === 'rewrite-hot')
    return `rewrite-hot/${job.from ?? 0}-${job.until}/${hash('sha256', JSON.stringify(job.tombstones))}`
  if (job.kind === 'merge-tombstones') return `merge-tombstones/${job.bucket}/${job.first}-${job.number}`
  if (job.kind === 'sweep') return `sweep/${job.sweep}/${job.version}`
  if (job.kind === 'mend-tombstones') return job.kind
  if (job.kind === 'rewrite') return `rewrite/${job.bucket}/${job.number}-${job.from}`
  const bucketSet = job.buckets.reduce((bits, bucket) => bits | (1n << BigInt(bucket)), 0n)
  return `compact/${job.from}/${bucketSet.toString(16)}`
}

export type LakeJobServices = {
  state: LakeStateStore
  lake: Lake
  compactor: Compactor
  usage: Pick<UsageCounters, 'foldEpoch'>
  projects: Pick<ProjectDirectory, 'byId'>
  tombstones: Pick<TombstoneMending, 'mendMissing'>
  /** Where they differ from SWEEPS. */
  sweeps?: Partial<SweepSettings>
  clock: Now
  log: Log
} & Pick<RewriterServices, 'pace'>

/** Runs jobs. A job that throws stays unfinished, and the queue or maintenance sends it again. */
export function createLakeWorker(services: LakeJobServices) {
  const { state, lake, compactor, usage, projects, clock, log } = services
  const rewriter = createRewriter(services)
  const sweeper = createSweeper(services, { ...SWEEPS, ...services.sweeps })

  async function run(job: LakeJob): Promise<void> {
    if (job.kind === 'merge') await merge(job)
    else if (job.kind === 'rewrite') await rewriter.rewriteBucket(job.bucket, job.number, job.from)
    else if (job.kind === 'rewrite-hot') await rewriter.rewriteHot({ from: 0, ...job }, job.tombstones)
    else if (job.kind === 'sweep') await sweeper.run(job.sweep, job.version)
    else if (job.kind === 'mend-tombstones')
      await services.tombstones.mendMissing((await state.readableManifests()).manifests)
    else if (job.kind === 'merge-tombstones') await rewriter.mergeTombstones(job.bucket, job)
    else await compactEpochs(job)
  }

  async function compactEpochs({ from, until, buckets }: Extract<LakeJob, { kind: 'compact' }>) {
    const startedAt = clock.now()
    let waiting = buckets
    // A job that was sent before a restoration may name epochs that the restoration has opened again.
    const end = Math.min(until, firstOpenEpoch(await state.lake(), await state.shards()))
    for (let epoch = from; epoch < end && waiting.length > 0; epoch++) {
      if (epoch > from && clock.now() - startedAt >= BEGIN_MS) return
      waiting = await compactEpoch(epoch, waiting)
    }
  }

  /**
   * Compacts an epoch and returns the buckets that are now past it. A bucket that fails is logged and stays
   * behind alone. Throws if all of them fail, so the queue tries the job again.
   */
  async function compactEpoch(epoch: number, buckets: readonly number[]): Promise<number[]> {
    const started = clock.now()
    const readable = await state.readableManifests()
    const manifests = readable.manifests.filter(({ bucket }) => buckets.includes(bucket))
    const waiting = manifests.filter(({ compacted }) => compacted === epoch)
    const pastBuckets = manifests.filter(({ compacted }) => compacted > epoch).map(({ bucket }) => bucket)
    if (waiting.length === 0) return pastBuckets
    const hot = await listHot(epoch)
    const results = await compactor.compactEpoch({
      epoch,
      hot,
      buckets: waiting.map(toBucketCompaction),
    })
    const failures: unknown[] = []
    const emptyBuckets: number[] = []
    for (const result of results) {
      if ('failure' in result) {
        failures.push(result.failure)
        log('JOB_FAILED', { job: 'compact', epoch, bucket: result.bucket, error: String(result.failure) })
        continue
      }
      const replacements = await replaceEvents({ state, compactor }, result.bucket, result.replaced)
      await countEvents(epoch, result, replacements)
      if (result.isEmpty) emptyBuckets.push(result.bucket)
      else await commit(epoch, result, replacements)
      pastBuckets.push(result.bucket)
    }
    if (emptyBuckets.length > 0) await state.skipEpoch(epoch, emptyBuckets)
    if (pastBuckets.length === 0) throw failures[0]
    log('EPOCH_COMPACTED', {
      epoch,
      buckets: pastBuckets.length,
      ms: clock.now() - started,
    })
    return pastBuckets
  }

  /**
   * Counts what the segment has, before the watermark moves. The counters count an epoch of a bucket once.
   */
  async function countEvents(
    epoch: number,
    { bucket, stored }: SucceededCompaction,
    replacements: readonly Replacement[],
  ): Promise<void> {
    await usage.foldEpoch(epoch, bucket, await addAccounts([...stored, ...replacedCounts(replacements)]))
  }

  /** Adds the segment to the manifest. */
  async function commit(
    epoch: number,
    { bucket, segment, removed }: SucceededCompaction,
    replacements: readonly Replacement[],
  ): Promise<void> {
    await changeManifest(state, bucket, manifest => {
      if (manifest.compacted !== epoch) return null
      const added = addRemoved(addEpoch(manifest, epoch, segment), removed, { files: 0, epoch })
      return applyReplacements(added, replacements, clock.now())
    })
  }

  async function merge({ bucket, from, until }: Extract<LakeJob, { kind: 'merge' }>): Promise<void> {
    const started = clock.now()
    const current = await state.manifest(bucket)
    const { segments, tombstoneCount: generation } = current
    const merged = segments.filter(segment => segment.from >= from && segment.until <= until)
    // Another worker has merged them already, or so many of them that the rest can wait.
    if (!isMergeable(merged) || merged[0]?.from !== from || merged.at(-1)?.until !== until) return
    const erased = Math.min(...merged.map(segment => segment.erased))
    const replacement = await compactor.mergeSegments({
      bucket,
      segments: merged,
      target: { from, until, generation },
      tombstones: openTombstones(current, { erased }),
      older: segmentsBefore(segments, from),
    })
    await changeManifest(state, bucket, manifest => {
      const replaced = replaceSegments(manifest, merged, replacement.segment, clock.now())
      return replaced && addRemoved(replaced, replacement.removed, { files: merged.length })
    })
    log('SEGMENTS_MERGED', {
      bucket,
      segments: merged.length,
      bytes: replacement.segment?.bytes ?? 0,
      ms: clock.now() - started,
    })
  }

  /**
   * Writes the files of a live segment again from its sources: the hot files of its epoch, or the segments
   * that it was merged from. Manifest and counters do not change. Returns false and does nothing if the
   * sources are gone, or the segment is not live.
   */
  async function repairSegment(bucket: number, { from, until, generation }: SegmentId): Promise<boolean> {
    const manifest = await state.manifest(bucket)
    const segment = manifest.segments.find(
      live => live.from === from && live.until === until && live.generation === generation,
    )
    if (segment === undefined) return false
    const sources = manifest.retired.filter(retired => retired.from >= from && retired.until <= until)
    if (sources.length > 0) {
      const retiredAt = Math.max(...sources.map(source => source.retiredAt))
      const segments = sources.filter(source => source.retiredAt === retiredAt)
      // An older generation has erased events.
      if (segments.some(({ erased }) => erased !== generation)) return false
      await compactor.mergeSegments({
        bucket,
        segments,
        target: segment,
        tombstones: [],
        older: segmentsBefore(manifest.segments, from),
      })
      return true
    }
    if (until !== from + 1 || (await state.jobFinished(supersededJobName(from)))) return false
    const hot = await listHot(from)
    // Hot files that nobody meant to delete are gone, too.
    if (hot.length === 0) return false
    const before = { ...manifest, segments: segmentsBefore(manifest.segments, from) }
    const [result] = await compactor.compactEpoch({
      epoch: from,
      hot,
      buckets: [
        {
          ...toBucketCompaction(before),
          generation,
          tombstones: manifest.tombstones.filter(({ first }) => first <= generation),
        },
      ],
    })
    if (result !== undefined && 'failure' in result) throw result.failure
    // Fewer rows: some of the hot files are gone. What is left is written, and the object counts as lost.
    return result?.segment?.rows === segment.rows
  }

  /** The hot files of a closed epoch. Throws if maintenance has begun to delete them. */
  async function listHot(epoch: number): Promise<LakeObject[]> {
    const hot = await lake.list(hotPrefix(epoch))
    // Checked after the listing: a concurrent delete may have made the listing incomplete.
    if (await state.jobFinished(supersededJobName(epoch))) {
      throw new Error(`The hot files of epoch ${epoch} are deleted`)
    }
    return hot
  }

  /**
   * Adds the accounts of the projects. Counts of a project that does not exist are left out: nobody can read
   * them.
   */
  async function addAccounts(stored: readonly StoredEvents[]) {
    const counts = stored.map(async count => {
      const project = await projects.byId(count.project_id)
      return project === null ? [] : [{ ...count, account_id: project.account_id }]
    })
    return (await Promise.all(counts)).flat()
  }

  return { run, repairSegment }
}

type SucceededCompaction = Exclude<CompactedBucket, { failure: unknown }>

export type LakeWorker = ReturnType<typeof createLakeWorker>

function toBucketCompaction(manifest: Manifest): BucketCompaction {
  const { bucket, tombstones, tombstoneCount, segments } = manifest
  return {
    bucket,
    eventIds: lookbackKeys(manifest),
    generation: tombstoneCount,
    tombstones,
    older: segments,
  }
}

/** The segments with epochs before this one. */
function segmentsBefore(segments: readonly Segment[], epoch: number): Segment[] {
  return segments.filter(({ until }) => until <= epoch)
}

/** The files to search for the first copies of events that come after those of the manifest. */
function lookbackKeys({ bucket, segments }: Pick<Manifest, 'bucket' | 'segments'>): string[] {
  return segmentsWithEventIds({ segments }).flatMap(segment =>
    segmentKeys('segment_event_ids', bucket, segment),
  )
}
