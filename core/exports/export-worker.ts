import { createHash } from 'node:crypto'
import type { JobQueue, Lake } from '#core/ports'
import { randomId } from '#core/secrets/tokens'
import type { StateTable } from '#core/state/state-table'
import {
  type DerivedTable,
  EXPORT_LIMITS,
  type ExportDataset,
  isJsonDataset,
  type JsonDataset,
} from '#schemas/exports'
import { type DayCounts, type Export, type ExportFile, type ExportJob, fileKey, isEnded } from './export.ts'
import { type ExportSource, type ExportSourceServices, openExportSource } from './export-source.ts'
import { createExportStore, type ExportChanges } from './export-store.ts'
import type { ExportFolder, ExportWriter, WrittenFile } from './export-writer.ts'
import { readJsonFile } from './json-files.ts'
import { createOpenExports } from './open-exports.ts'
import { differences } from './read-events.ts'
import { ExportRefused, requireEvents, requireFiles } from './refused.ts'
import { type ErasureTimes, isBeforeErasure, VOID } from './void-export.ts'

export type ExportWorkerServices = StateTable &
  ExportSourceServices & {
    erasureFeed: ErasureTimes
    objects: Pick<Lake, 'put' | 'get' | 'delete'>
    writer: ExportWriter
    /** Where a run leaves the rest of its export. */
    jobs: JobQueue<ExportJob>
    /** A run begins no further file after this time, ms; default: RUN_MS. */
    runMs?: number | undefined
    /** Rows and bytes of JSON of one file; default: FILE. */
    file?: typeof FILE | undefined
  }

/** Other jobs wait for so long at most: compaction shares the workers of the queue. */
const RUN_MS = 120_000
/** A run renews its lease with each file. It is longer than the longest job on AWS, 15 minutes. */
const LEASE_MS = 16 * 60_000
/** Runs without a new file of events, after which an export has failed. */
const MAX_ATTEMPTS = 5
/** The file is in memory before it is stored. */
const FILE = { rows: EXPORT_LIMITS.file_rows as number, bytes: 64_000_000 }

/** Another run has taken over, or the export was deleted. */
class RunIsOver extends Error {}

/**
 * Makes exports, file after file. Each file is noted when it is stored, so a run that was killed is followed
 * by one that goes on after it. A job may run twice: only the run that began last writes.
 */
export function createExportWorker(services: ExportWorkerServices) {
  const { objects, writer, jobs, clock, erasureFeed } = services
  const { runMs = RUN_MS, file: fileLimits = FILE } = services
  const state = { client: services.client, table: services.table, clock }
  const store = createExportStore(state)
  const open = createOpenExports(state)

  /** Runs an export for RUN_MS at most. Rejects when it should be tried again. */
  async function run(job: ExportJob): Promise<void> {
    const until = clock.now() + runMs
    const begun = await begin(job)
    if (begun === null) return
    try {
      if (begun.attempts > MAX_ATTEMPTS) throw new ExportRefused(TOO_OFTEN)
      await writer.withFolder(folder => writeFiles(begun, folder, until))
    } catch (error) {
      await giveUp(begun, error)
    }
  }

  /** The export, if it has not ended and no other run of it is alive; else null. */
  async function begin({ account_id, id, takesOver = false }: ExportJob): Promise<Export | null> {
    const found = await store.find({ account_id, id })
    if (found === null) return null
    if (isEnded(found)) {
      await store.show(found)
      await open.release(found)
      return null
    }
    const now = clock.now()
    if (found.leased_until > now && !takesOver) return null
    return store.begin(found, randomId('run'), now + LEASE_MS)
  }

  async function writeFiles(begun: Export, folder: ExportFolder, until: number): Promise<void> {
    const source = await openExportSource(services, begun)
    const counted = begun.counted ?? (hasTables(begun) ? await source.countDays() : {})
    requireEvents(counted)
    let made = await save(begun, { counted })
    for await (const { events, next, isLast } of source.pagesAfter(made.next, counted)) {
      await folder.add(events)
      if (!isDue(folder.added(), isLast)) continue
      made = await addFile(made, 'events', await folder.takeEvents(), { next, attempts: 0 })
      if (clock.now() >= until) return goOnLater(made)
    }
    await finish(made, folder, source)
  }

  /** Whether what was added becomes a file. */
  function isDue({ rows, bytes }: ReturnType<ExportFolder['added']>, isLast: boolean): boolean {
    return rows > 0 && (isLast || rows >= fileLimits.rows || bytes >= fileLimits.bytes)
  }

  async function goOnLater(made: Export): Promise<void> {
    await save(made, { leased_until: 0 })
    await jobs.send({ kind: 'export', account_id: made.account_id, id: made.id })
  }

  /** Throws RunIsOver. */
  async function save(made: Export, changes: ExportChanges): Promise<Export> {
    const changed = await store.change(made, changes)
    if (changed === null) throw new RunIsOver()
    return changed
  }

  /** Stores a file, and notes it together with `changes`. Throws ExportRefused when it is one too many. */
  async function addFile(
    made: Export,
    dataset: ExportDataset,
    { rows, bytes }: WrittenFile,
    changes: Pick<ExportChanges, 'next' | 'attempts'> = {},
  ): Promise<Export> {
    const name = fileName(made, dataset)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const file = { name, object: `${made.run}-${name}`, dataset, rows, bytes: bytes.length, sha256 }
    const files = [...made.files, file]
    requireFiles(files)
    await objects.put(fileKey(made, file), bytes)
    try {
      return await save(made, { ...changes, files, leased_until: clock.now() + LEASE_MS })
    } catch (error) {
      if (error instanceof RunIsOver) await objects.delete([fileKey(made, file)])
      throw error
    }
  }

  /** Makes the other parts, most of them of the files of events, compares the days, and ends the export. */
  async function finish(begun: Export, folder: ExportFolder, source: ExportSource): Promise<void> {
    const days = await keepEvents(begun, folder)
    if (hasTables(begun)) requireSame(days, { before: begun.counted ?? {}, after: await source.countDays() })
    // A run before this one may have begun the other tables.
    let made = await keepOnly(begun, ({ dataset }) => dataset === 'events')
    for (const dataset of begun.datasets) {
      if (dataset === 'events') continue
      for await (const written of filesOf(dataset, made, folder)) made = await addFile(made, dataset, written)
    }
    made = await keepOnly(made, ({ dataset }) => made.datasets.includes(dataset))
    if (isBeforeErasure(made, await erasureFeed.lastAt(made.project_id))) throw new ExportRefused(VOID.reason)
    await save(made, { status: 'done', finished_at: clock.now(), days, leased_until: 0 })
    await open.release(made)
  }

  async function* filesOf(dataset: DerivedTable | JsonDataset, { project_id }: Export, folder: ExportFolder) {
    if (isJsonDataset(dataset)) yield await readJsonFile[dataset](state, project_id)
    else yield* folder.filesOf(dataset, fileLimits.rows)
  }

  /** Brings the files of events into the folder. Returns their events by day. */
  async function keepEvents(made: Export, folder: ExportFolder): Promise<DayCounts> {
    for (const file of made.files) {
      if (file.dataset !== 'events') continue
      const bytes = await objects.get(fileKey(made, file))
      if (bytes === null) throw new ExportRefused('A file of the export was lost. Start it again.')
      await folder.keepEvents(file.object, bytes)
    }
    return folder.countDays()
  }

  async function keepOnly(made: Export, isKept: (file: ExportFile) => boolean): Promise<Export> {
    const others = made.files.filter(file => !isKept(file))
    if (others.length === 0) return made
    const saved = await save(made, { files: made.files.filter(isKept) })
    await objects.delete(others.map(file => fileKey(made, file)))
    return saved
  }

  /** Rejects when the export should be tried again. */
  async function giveUp(begun: Export, error: unknown): Promise<void> {
    if (error instanceof RunIsOver) return
    if (error instanceof ExportRefused) return fail(begun, error.message)
    await store.change(begun, { leased_until: 0 })
    throw error
  }

  async function fail(begun: Export, reason: string): Promise<void> {
    const made = await store.find(begun)
    if (made === null || made.run !== begun.run) return
    const failed = { status: 'failed', reason, finished_at: clock.now(), leased_until: 0 } as const
    if ((await store.change(made, { ...failed, files: [] })) === null) return
    await open.release(made)
    await objects.delete(made.files.map(file => fileKey(made, file)))
  }

  return { run }
}

const TOO_OFTEN =
  'The export could not be made in five attempts. Start it again, and tell the operator if it fails again.'
const WRONG =
  'The events are not what the service counts, so the files are deleted. Start it again; if it repeats, report it.'

/** Throws ExportRefused with the days whose events are not between the counts before and after. */
function requireSame(days: DayCounts, counts: { before: DayCounts; after: DayCounts }): void {
  const wrong = differences(days, counts)
  if (wrong.length > 0) throw new ExportRefused(`${WRONG} ${wrong.slice(0, 10).join(' ')}`)
}

/** Whether the export is made of events. */
function hasTables({ datasets }: Export): boolean {
  return !datasets.every(isJsonDataset)
}

/** The name of the next file of a part. */
function fileName({ files }: Export, dataset: ExportDataset): string {
  if (isJsonDataset(dataset)) return `${dataset}.json`
  const number = files.filter(each => each.dataset === dataset).length + 1
  return `${dataset}-${String(number).padStart(4, '0')}.parquet`
}
