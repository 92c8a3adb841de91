import { createHash } from 'node:crypto'
import type { AccountStore } from '#core/accounts/store'
import type { IdentityStore } from '#core/identity/identity-store'
import { type IdentityView, NO_IDENTITY } from '#core/identity/identity-view'
import { keptByPlan } from '#core/plans/kept-since'
import type { Profile } from '#core/plans/profile'
import type { JobQueue, Lake } from '#core/ports'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { dayCounts } from '#core/reports/day-counts'
import type { DatedParams } from '#core/reports/run/asked-range'
import { type ReportCall, type ReportServices, runReport } from '#core/reports/run/run'
import { randomId } from '#core/secrets/tokens'
import type { StateTable } from '#core/state/state-table'
import { EXPORT_LIMITS, type ExportDataset } from '#schemas/exports'
import { type DayCounts, type Export, type ExportFile, type ExportJob, fileKey, isEnded } from './export.ts'
import { createExportStore } from './export-store.ts'
import type { ExportFolder, ExportWriter, WrittenFile } from './export-writer.ts'
import { createOpenExports } from './open-exports.ts'
import { differences, exportPage, type PageParams, rangesOf } from './read-events.ts'
import { type ErasureTimes, isBeforeErasure, VOID } from './void-export.ts'

export type ExportWorkerServices = StateTable &
  Pick<ReportServices, 'engine' | 'openLake' | 'clock'> & {
    identity: Pick<IdentityStore, 'scopeOf' | 'openLinks'>
    erasureFeed: ErasureTimes
    projects: Pick<ProjectDirectory, 'byId'>
    accounts: Pick<AccountStore, 'byId'>
    profile: Profile
    objects: Pick<Lake, 'put' | 'get' | 'delete'>
    writer: ExportWriter
    /** Where a run leaves the rest of its export. */
    jobs: JobQueue<ExportJob>
    /** Ends the run when the process stops. The next process goes on. */
    stopping?: AbortSignal | undefined
    /** A run begins no further file after this time, ms; default: RUN_MS. */
    runMs?: number | undefined
    /** Rows and bytes of JSON of one file; default: FILE. */
    file?: typeof FILE | undefined
  }

/** Other jobs wait for so long at most: compaction shares the workers of the queue. */
const RUN_MS = 120_000
/** A run renews its lease with each file. It is longer than the longest job on AWS, 15 minutes. */
const LEASE_MS = 16 * 60_000
/** Runs without a new file, after which an export has failed. */
const MAX_ATTEMPTS = 5
/** The file is in memory before it is stored. */
const FILE = { rows: EXPORT_LIMITS.file_rows as number, bytes: 64_000_000 }

/** Why an export cannot be made, as a message for the caller. */
class ExportRefused extends Error {}

/** What a run knows of its project. */
type Source = { call: Pick<ReportCall<DatedParams>, 'project' | 'keptSince' | 'identity' | 'signal'> }

/**
 * Makes exports, file after file. Each file is noted when it is stored, so a run that was killed is followed
 * by one that goes on after it. A job may run twice: only the run that began last writes.
 */
export function createExportWorker(services: ExportWorkerServices) {
  const { objects, writer, jobs, clock, stopping, erasureFeed } = services
  const { runMs = RUN_MS, file: fileLimits = FILE } = services
  const state = { client: services.client, table: services.table, clock }
  const store = createExportStore(state)
  const open = createOpenExports(state)

  /** Runs an export for RUN_MS at most. Rejects when it should be tried again. */
  async function run({ account_id, id, takesOver = false }: ExportJob): Promise<void> {
    const found = await store.find({ account_id, id })
    if (found === null) return
    if (isEnded(found)) {
      await store.show(found)
      return open.release(found)
    }
    if (found.leased_until > clock.now() && !takesOver) return
    const startedAt = clock.now()
    const begun = await store.begin(found, randomId('run'), startedAt + LEASE_MS)
    if (begun === null) return
    if (begun.attempts > MAX_ATTEMPTS) return fail(begun, TOO_OFTEN)
    try {
      await writer.withFolder(folder => work(begun, folder, startedAt + runMs))
    } catch (error) {
      if (error instanceof ExportRefused) return fail(begun, error.message)
      await store.change(begun, { leased_until: 0 })
      throw error
    }
  }

  async function work(begun: Export, folder: ExportFolder, until: number): Promise<void> {
    const source = await openSource(begun)
    const counted = begun.counted ?? (await countDays(begun, source))
    checkSize(counted)
    let made = await store.change(begun, { counted })
    const ranges = rangesOf(counted, made?.next?.day ?? 0)
    for (const [i, range] of ranges.entries()) {
      let before = i === 0 ? made?.next?.before : undefined
      do {
        if (made === null) return
        const page = await readPage(source, { range, before })
        await folder.add(page.events)
        before = page.next ?? undefined
        const isLast = page.next === null && i === ranges.length - 1
        if (folder.added().rows === 0 || (!isLast && !isFull(folder))) continue
        const next = before === undefined ? { day: range.to } : { day: range.from, before }
        made = await addFile(made, 'events', await folder.takeEvents(), { next })
        if (made !== null && clock.now() >= until) return goOnLater(made)
      } while (before !== undefined)
    }
    if (made !== null) await finish(made, folder, source)
  }

  function isFull(folder: ExportFolder): boolean {
    const { rows, bytes } = folder.added()
    return rows >= fileLimits.rows || bytes >= fileLimits.bytes
  }

  async function goOnLater(made: Export): Promise<void> {
    await store.change(made, { leased_until: 0 })
    await jobs.send({ kind: 'export', account_id: made.account_id, id: made.id })
  }

  async function openSource({ project_id, account_id }: Export): Promise<Source> {
    const [project, account] = await Promise.all([
      services.projects.byId(project_id),
      services.accounts.byId(account_id),
    ])
    if (project === null || project.deleted_at !== null || account === null)
      throw new ExportRefused('The project was deleted.')
    const keptSince = keptByPlan(services.profile, account, clock.now())
    return { call: { project, identity: await openLinks(project), keptSince, signal: stopping } }
  }

  async function openLinks(project: Project): Promise<IdentityView> {
    const { identity } = services
    const links = await identity.openLinks(await identity.scopeOf(project))
    if (links?.isPartial) throw new Error(`The links of ${project.id} are being made again`)
    return { ...NO_IDENTITY, links: links !== null && links.files.length > 0 ? links : null }
  }

  async function countDays({ from, to }: Export, { call }: Source): Promise<DayCounts> {
    return (await runReport(dayCounts, services, { ...call, query: { range: { from, to } } })).days
  }

  function readPage({ call }: Source, query: PageParams) {
    return runReport(exportPage, services, { ...call, query })
  }

  async function addFile(
    made: Export,
    dataset: ExportDataset,
    { rows, bytes }: WrittenFile,
    changes: Pick<Export, 'next'> | undefined = undefined,
  ): Promise<Export | null> {
    const number = made.files.filter(each => each.dataset === dataset).length + 1
    const name = `${dataset}-${String(number).padStart(4, '0')}.parquet`
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const file = { name, object: `${made.run}-${name}`, dataset, rows, bytes: bytes.length, sha256 }
    const files = [...made.files, file]
    if (files.length > EXPORT_LIMITS.files) throw new ExportRefused(tooLarge('more than 1,000 files'))
    if (files.reduce((sum, each) => sum + each.bytes, 0) > EXPORT_LIMITS.bytes)
      throw new ExportRefused(tooLarge('more than 4 GB of Parquet'))
    await objects.put(fileKey(made, file), bytes)
    const leased_until = clock.now() + LEASE_MS
    const saved = await store.change(made, { ...changes, files, attempts: 0, leased_until })
    if (saved === null) await objects.delete([fileKey(made, file)])
    return saved
  }

  /** Makes the other tables of the files of events, compares the days, and ends the export. */
  async function finish(begun: Export, folder: ExportFolder, source: Source): Promise<void> {
    const events = begun.files.filter(({ dataset }) => dataset === 'events')
    for (const file of events) await folder.keepEvents(file.object, await fetchFile(begun, file))
    const days = await folder.countDays()
    const counts = { before: begun.counted ?? {}, after: await countDays(begun, source) }
    const wrong = differences(days, counts)
    if (wrong.length > 0) throw new ExportRefused(`${WRONG} ${wrong.slice(0, 10).join(' ')}`)
    // A run before this one may have begun the other tables.
    let made = await keepOnly(begun, events)
    for (const dataset of begun.datasets) {
      if (dataset === 'events') continue
      for await (const written of folder.filesOf(dataset, fileLimits.rows)) {
        if (made === null) return
        made = await addFile(made, dataset, written)
      }
    }
    if (made !== null && !made.datasets.includes('events'))
      made = await keepOnly(
        made,
        made.files.filter(({ dataset }) => dataset !== 'events'),
      )
    if (made === null) return
    if (isBeforeErasure(made, await erasureFeed.lastAt(made.project_id))) return fail(made, VOID.reason)
    await store.change(made, { status: 'done', finished_at: clock.now(), days, leased_until: 0 })
    await open.release(made)
  }

  async function fetchFile(made: Export, file: ExportFile): Promise<Uint8Array> {
    const bytes = await objects.get(fileKey(made, file))
    if (bytes === null) throw new ExportRefused('A file of the export was lost. Start it again.')
    return bytes
  }

  async function keepOnly(made: Export, files: ExportFile[]): Promise<Export | null> {
    const others = made.files.filter(file => !files.includes(file))
    if (others.length === 0) return made
    const saved = await store.change(made, { files })
    if (saved !== null) await objects.delete(others.map(file => fileKey(made, file)))
    return saved
  }

  async function fail(begun: Export, reason: string): Promise<void> {
    const made = (await store.find(begun)) ?? begun
    if (made.run !== begun.run) return
    const failed = { status: 'failed' as const, reason, finished_at: clock.now(), leased_until: 0 }
    if ((await store.change(begun, { ...failed, files: [] })) === null) return
    await open.release(made)
    await objects.delete(made.files.map(file => fileKey(made, file)))
  }

  return { run }
}

const TOO_OFTEN =
  'The export could not be made in five attempts. Start it again, and tell the operator if it fails again.'
const WRONG =
  'The events are not what the service counts, so the files are deleted. Start it again; if it repeats, report it.'

function checkSize(counted: DayCounts): void {
  const events = Object.values(counted).reduce((sum, count) => sum + count, 0)
  if (events > EXPORT_LIMITS.events) throw new ExportRefused(tooLarge(`${events} events`))
}

function tooLarge(what: string): string {
  return `The period has ${what}, and an export has at most ${EXPORT_LIMITS.events} events, 1,000 files and 4 GB. Export shorter periods with \`since\` and \`until\`.`
}
