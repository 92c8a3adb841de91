import type { Lake, LakeObject, Log } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { ClaimedEvents, UsageCounters } from '#core/usage/counters'
import { type RecountServices, recountEvents } from '#core/usage/recount-events'
import { tables } from '#schemas/columns'
import type { StoredEvents } from './compactor.ts'
import { FIRST_EDITION_PREFIXES, type PlannedSegment, planSegments } from './first-edition-files.ts'
import type { FirstEditionState, FirstEditionWatermarks } from './first-edition-state.ts'
import { parseHotKey, SEGMENT_TABLES } from './keys.ts'
import type { Segment } from './manifest.ts'
import { compareSequences } from './sequence.ts'
import type { LakeStateStore } from './state.ts'

/** Reads and writes the Parquet files of an upgrade (duckdb/first-edition.ts). The same files always give the same results. */
export type FirstEditionConverter = {
  /** Arrival of the newest event in the files, Unix seconds. */
  newestArrival(keys: readonly string[]): Promise<number>
  /**
   * Writes a segment with the events of the files of the first edition. `newestArrival`: of the bucket; ids of older events than
   * the look-back before it are not written.
   */
  writeSegment(
    bucket: number,
    planned: PlannedSegment,
    newestArrival: number,
  ): Promise<{ segment: Segment; stored: readonly StoredEvents[] }>
  /** Writes a hot file again with the column event_key, and returns the numbers of its events. */
  addEventKeys(key: string): Promise<readonly (StoredEvents & { bucket: number })[]>
}

export type UpgradeServices = RecountServices & {
  firstEdition: FirstEditionState
  state: Pick<LakeStateStore, 'manifests' | 'saveManifest'>
  lake: Lake
  converter: FirstEditionConverter
  usage: Pick<UsageCounters, 'addClaim' | 'foldEpoch'>
  projects: { byId(id: string): Promise<Pick<Project, 'account_id'> | null> }
  log: Log
  /** Most bytes of a segment that is made of several files. */
  segmentBytes: number
}

/**
 * Upgrades a lake of the first edition, which had tiers of warm and cold files, before anything else uses it. The warm and cold
 * files of each bucket become segments, and then the manifest of the bucket is saved. A bucket whose manifest is saved is done. So
 * an upgrade that was killed at any moment goes on at the next start. The files of the first edition are deleted last.
 *
 * The first edition counted a claim when it was written, and today's edition when its epoch is compacted. So the folded counts
 * are set to what the segments store, and the hot files become open counts.
 */
export async function upgradeLake(services: UpgradeServices): Promise<void> {
  const { firstEdition, lake, log } = services
  const watermarks = await firstEdition.watermarks()
  if (watermarks === null) return
  const objects = await listAll(lake, FIRST_EDITION_PREFIXES)
  // Without them the upgrade has deleted them already, unless nothing was ever compacted.
  if (objects.length > 0 || !(await hasSegments(lake))) await convert(services, watermarks, objects)
  await lake.delete(objects.map(({ key }) => key))
  await firstEdition.forget()
  log('LAKE_UPGRADED', { files: objects.length })
}

async function convert(
  services: UpgradeServices,
  watermarks: FirstEditionWatermarks,
  objects: readonly LakeObject[],
): Promise<void> {
  const { state, segmentBytes, log } = services
  const hotCounts = await convertHotFiles(services, watermarks)
  const plans = planSegments(objects, watermarks, segmentBytes)
  const totalBytes = sumBytes([...plans.values()].flat())
  let doneBytes = 0
  for (const manifest of await state.manifests()) {
    const { bucket } = manifest
    const planned = plans.get(bucket) ?? []
    doneBytes += sumBytes(planned)
    if (manifest.version > 0) continue
    const { segments, stored } = await writeSegments(services, bucket, planned)
    const claimed = hotCounts.filter(count => count.bucket === bucket)
    const projectIds = new Set([...stored, ...claimed].map(({ project_id }) => project_id))
    const epoch = watermarks.warm - 1
    const counted = await addAccounts(services, projectIds)
    if (counted.length > 0) await recountEvents(services, { epoch, bucket }, counted, stored)
    await state.saveManifest({ ...manifest, version: 1, compacted: watermarks.warm, segments })
    if (segments.length > 0) {
      const percent = Math.floor((doneBytes / totalBytes) * 100)
      log('LAKE_UPGRADING', { bucket, segments: segments.length, percent })
    }
  }
}

async function writeSegments(
  { converter }: UpgradeServices,
  bucket: number,
  planned: readonly PlannedSegment[],
) {
  const segments: Segment[] = []
  const stored: StoredEvents[] = []
  const newest = planned.at(-1)
  if (newest === undefined) return { segments, stored }
  const newestArrival = await converter.newestArrival(newest.parts.flat())
  for (const each of planned) {
    const written = await converter.writeSegment(bucket, each, newestArrival)
    segments.push(written.segment)
    stored.push(...written.stored)
  }
  return { segments, stored }
}

/** Gives the hot files from the watermark on their event keys, and adds them to the open counts. Returns what they count. */
async function convertHotFiles(
  { lake, converter, usage, projects }: UpgradeServices,
  { warm }: FirstEditionWatermarks,
): Promise<ClaimedEvents[]> {
  const files = (await lake.list(`${tables.events_hot.prefix}/`))
    .map(({ key }) => ({ key, file: parseHotKey(key) }))
    .flatMap(({ key, file }) => (file === null || file.claim.epoch < warm ? [] : [{ key, ...file }]))
    // The claims of a shard are counted in their order.
    .toSorted((a, b) => compareSequences(a.claim.last, b.claim.last))
  const counts: ClaimedEvents[] = []
  for (const { key, shard, claim } of files) {
    const claimed: ClaimedEvents[] = []
    for (const count of await converter.addEventKeys(key)) {
      const project = await projects.byId(count.project_id)
      if (project !== null) claimed.push({ ...count, account_id: project.account_id })
    }
    await usage.addClaim({ shard, epoch: claim.epoch, last: claim.last }, claimed)
    counts.push(...claimed)
  }
  return counts
}

/** The projects with their accounts, without projects that do not exist: nobody can read their counts. */
async function addAccounts({ projects }: UpgradeServices, projectIds: Iterable<string>) {
  const found: { project_id: string; account_id: string }[] = []
  for (const project_id of projectIds) {
    const project = await projects.byId(project_id)
    if (project !== null) found.push({ project_id, account_id: project.account_id })
  }
  return found
}

async function hasSegments(lake: Lake): Promise<boolean> {
  return (
    (
      await listAll(
        lake,
        SEGMENT_TABLES.map(table => `${tables[table].prefix}/`),
      )
    ).length > 0
  )
}

async function listAll(lake: Lake, prefixes: readonly string[]): Promise<LakeObject[]> {
  return (await Promise.all(prefixes.map(prefix => lake.list(prefix)))).flat()
}

function sumBytes(planned: readonly PlannedSegment[]): number {
  return planned.reduce((sum, { bytes }) => sum + bytes, 0)
}
