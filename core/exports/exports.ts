import type { Account } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import { createSlidingWindow } from '#core/limits/sliding-window'
import { NO_LIMIT, type Profile } from '#core/plans/profile'
import { limitExtras, rateLimited } from '#core/plans/rate-limited'
import type { Clock, JobQueue, Lake } from '#core/ports'
import type { Project } from '#core/projects/project'
import { type RangeParams, toRange } from '#core/reports/run/range'
import { createZone } from '#core/reports/run/zone'
import type { StateTable } from '#core/state/state-table'
import { quoted } from '#core/text/clean-text'
import { DAY_MS, type Range } from '#core/time'
import { EXPORT_DATASETS, type ExportDataset } from '#schemas/exports'
import { type Export, type ExportFile, type ExportJob, fileKey, newExportId } from './export.ts'
import { createExportStore, type ListPage } from './export-store.ts'
import { createOpenExports, type NoPlace } from './open-exports.ts'
import type { ExportSummary } from './summary.ts'
import { type ErasureTimes, isBeforeErasure, VOID } from './void-export.ts'

/** Where a file can be downloaded. `expiresAt`: Unix ms; null: the address needs the caller's credential. */
export type FileAddress = { url: string; expiresAt: number | null }

export type ExportsServices = StateTable & {
  erasureFeed: ErasureTimes
  /** Where the files are. */
  objects: Pick<Lake, 'get' | 'delete'>
  /** The address of an object, under which it is saved as `name`. Null: the service itself serves files. */
  addressOf: ((key: string, name: string) => Promise<FileAddress>) | null
  profile: Pick<Profile, 'exports_per_day'>
  jobs: JobQueue<ExportJob>
  clock: Clock
}

/** What a caller asks for. */
export type ExportRequest = Omit<RangeParams, 'days'> & { datasets?: readonly ExportDataset[] | undefined }

/** After this time a caller may look whether the export that is in the way has ended, ms. */
const LOOK_AGAIN_MS = 60_000

/** Exports of events, for those who ask for them (docs/api/exports.md). */
export function createExports({ jobs, clock, objects, erasureFeed, profile, ...services }: ExportsServices) {
  const state = { client: services.client, table: services.table, clock }
  const store = createExportStore(state)
  const open = createOpenExports(state)
  const daily = createSlidingWindow(state, { name: 'exports', windowMs: DAY_MS })

  /**
   * Begins an export. Throws INVALID_SINCE and MISSING_FIELDS for a wrong range, and RATE_LIMITED while
   * another one of the project runs, as many run as may, or the project has begun as many within a day as it
   * may.
   */
  async function start(project: Project, account: Account, request: ExportRequest): Promise<Export> {
    const now = clock.now()
    const made: Export = {
      ...{ account_id: account.id, id: newExportId(project.id, now), project_id: project.id },
      ...{ status: 'queued', datasets: datasetsOf(request), ...rangeOf(request, now) },
      ...{ created_at: now, leased_until: 0, attempts: 0, files: [], counted: null, days: null },
    }
    const reason = await open.take(made)
    if (reason !== null) throw busy(reason)
    try {
      await takeOfDay(project)
      await store.put(made)
      await jobs.send({ kind: 'export', account_id: made.account_id, id: made.id })
    } catch (error) {
      await open.release(made)
      throw error
    }
    return made
  }

  function busy(reason: NoPlace): ApiError {
    const now = clock.now()
    const limit = { limit: 1, remaining: 0, resetAt: now + LOOK_AGAIN_MS }
    return new ApiError('RATE_LIMITED', BUSY[reason], limitExtras(limit, now, { reason }))
  }

  async function takeOfDay({ id }: Project): Promise<void> {
    if (profile.exports_per_day === NO_LIMIT) return
    const admission = await daily.take(id, profile.exports_per_day)
    if (!admission.isAdmitted) throw rateLimited('exports of this project', admission, clock.now())
  }

  /**
   * The export of an account as it is now. One that was made before an erasure has failed, and its files are
   * gone. Throws NOT_FOUND.
   */
  async function read(id: string, { id: account_id }: Pick<Account, 'id'>): Promise<Export> {
    const found = await store.find({ account_id, id })
    if (found === null) throw exportNotFound(id)
    return asOfNow(found)
  }

  async function asOfNow(found: Export): Promise<Export> {
    if (found.status !== 'done') return found
    if (!isBeforeErasure(found, await erasureFeed.lastAt(found.project_id))) return found
    await deleteFiles(found)
    const failed = { ...VOID, files: [] }
    await store.change(found, failed)
    return { ...found, ...failed }
  }

  /** Exports of a project as they are now, newest first: two reads, however many and large they are. */
  async function list(project: Pick<Project, 'account_id' | 'id'>, page: ListPage) {
    const [{ exports, next_before }, erasedAt] = await Promise.all([
      store.list(project, page),
      erasureFeed.lastAt(project.id),
    ])
    const asNow = (each: ExportSummary): ExportSummary =>
      each.status === 'done' && isBeforeErasure(each, erasedAt)
        ? { ...each, ...VOID, events: 0, bytes: 0 }
        : each
    return { exports: exports.map(asNow), next_before }
  }

  /** Deletes an export and its files; one that runs ends. */
  async function remove(made: Export): Promise<void> {
    // The run of the export then can save nothing more, and deletes what it has written since.
    await store.remove(made)
    await open.release(made)
    await deleteFiles(made)
  }

  async function deleteFiles(made: Export): Promise<void> {
    await objects.delete(made.files.map(file => fileKey(made, file)))
  }

  /** A file of an export that is done. Throws NOT_FOUND. */
  function findFile({ id, files, status }: Export, name: string): ExportFile {
    const file = status === 'done' ? files.find(each => each.name === name) : undefined
    if (file !== undefined) return file
    throw new ApiError(
      'NOT_FOUND',
      `The export has no file ${quoted(name)}. GET /exports/${id} lists its files when it is done.`,
    )
  }

  /** The bytes of a file. Throws NOT_FOUND, also where files have addresses of their own. */
  async function download(made: Export, name: string): Promise<Uint8Array> {
    const file = findFile(made, name)
    const bytes = services.addressOf === null ? await objects.get(fileKey(made, file)) : null
    if (bytes !== null) return bytes
    throw new ApiError(
      'NOT_FOUND',
      services.addressOf === null
        ? 'The file of the export is gone. Start the export again.'
        : `The files of this service have other addresses. Use the \`url\` of the file in GET /exports/${made.id}.`,
    )
  }

  /** Null: the file is downloaded from the service itself, by the route of the file. */
  async function addressOf(made: Export, file: ExportFile): Promise<FileAddress | null> {
    return services.addressOf === null ? null : services.addressOf(fileKey(made, file), file.name)
  }

  return { start, read, list, remove, download, addressOf }
}

/** Why an export cannot begin now. */
const BUSY = {
  export_running:
    'The project has an export that has not ended. Wait until it is done, or delete it, then send the request again.',
  exports_running: 'As many exports as may run have not ended. Send the request again in a minute.',
} as const satisfies Record<NoPlace, string>

export type Exports = ReturnType<typeof createExports>

export function exportNotFound(id: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `The account has no export ${quoted(id)}. Check the id: GET /exports lists the exports of a project, which are kept for seven days.`,
  )
}

function datasetsOf({ datasets = EXPORT_DATASETS }: ExportRequest): ExportDataset[] {
  return EXPORT_DATASETS.filter(name => datasets.includes(name))
}

/**
 * The period in Unix ms: whole UTC days, by the rule of reports. Its last day may be the next one, as events
 * of a clock that is ahead are. Throws as toRange does.
 */
function rangeOf(request: ExportRequest, now: number): Range {
  const all = Math.floor(now / DAY_MS)
  const { from, to } = toRange(request, { now, zone: createZone('UTC') }, { defaultDays: all })
  return { from, to: Math.ceil(to / DAY_MS) * DAY_MS }
}
