import type { JobQueue, Lake, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { EXPORT_PREFIX } from '#schemas/exports'
import { type ExportJob, type ExportKey, isEnded, parseFileKey } from './export.ts'
import { createExportStore } from './export-store.ts'
import { createOpenExports, type OpenExport } from './open-exports.ts'
import { rememberLast } from './remember-last.ts'
import { type ErasureTimes, isBeforeErasure, VOID } from './void-export.ts'

export type ExportUpkeepServices = StateTable & {
  objects: Pick<Lake, 'listPage' | 'delete'>
  projects: Pick<ProjectDirectory, 'byId'>
  erasureFeed: ErasureTimes
  jobs: JobQueue<ExportJob>
  clock: Now
}

/** Pause between two looks, ms. The scheduler on AWS calls every minute. */
const TICK_MS = 10 * 60_000
/** An export takes its place this long before it is stored at most, ms. */
const BEGIN_MS = 60_000
/**
 * Projects and exports of which a look remembers what it has read. The files of an export follow each other
 * in the list, and so do the exports of a project, so each is still read once.
 */
const KEEP_LAST = 1_000

/**
 * Sends the jobs of exports again whose run was killed, and deletes files that nobody may have any more: of
 * expired exports, of deleted projects, and of exports that were made before an erasure.
 */
export function createExportUpkeep({ objects, projects, jobs, ...services }: ExportUpkeepServices) {
  const { client, table, clock, erasureFeed } = services
  const store = createExportStore({ client, table, clock })
  const open = createOpenExports({ client, table, clock })
  let nextAt = 0

  /** `areAllLeft`: no run of before can be alive, as at the start of one machine. */
  async function resume(areAllLeft: boolean): Promise<void> {
    for (const entry of await open.list()) {
      const found = await store.find(entry)
      if (found === null) await forget(entry)
      else if (isEnded(found)) {
        await store.show(found)
        await open.release(entry)
      } else if (areAllLeft || found.leased_until <= clock.now())
        await jobs.send({ kind: 'export', account_id: found.account_id, id: found.id, takesOver: areAllLeft })
    }
  }

  /** Deletes what is left of an export that was deleted, or not stored before its process was killed. */
  async function forget(entry: OpenExport): Promise<void> {
    if (clock.now() < entry.begun_at + BEGIN_MS) return
    await store.remove(entry)
    await open.release(entry)
  }

  async function deleteOld(): Promise<void> {
    const isWanted = createWanted()
    for (let after: string | null = null; ; ) {
      const page = await objects.listPage(EXPORT_PREFIX, after)
      const old: string[] = []
      for (const { key } of page.objects) {
        const of = parseFileKey(key)
        if (of !== null && !(await isWanted(of))) old.push(key)
      }
      if (old.length > 0) await objects.delete(old)
      if (page.next === null) return
      after = page.next
    }
  }

  /**
   * Whether files of an export may stay. One look at each project, and one at the summary of each export,
   * however many files it has.
   */
  function createWanted() {
    const projectOf = rememberLast(KEEP_LAST, async (id: string) => {
      const [project, erasedAt] = await Promise.all([projects.byId(id), erasureFeed.lastAt(id)])
      return { isThere: project !== null && project.deleted_at === null, erasedAt }
    })
    return rememberLast(KEEP_LAST, async (key: ExportKey) => {
      const found = await store.findSummary(key)
      if (found === null || found.status === 'failed') return false
      const { isThere, erasedAt } = await projectOf(found.project_id)
      if (!isThere) return false
      if (found.status !== 'done' || !isBeforeErasure(found, erasedAt)) return true
      const made = await store.find(key)
      if (made !== null) await store.change(made, { ...VOID, files: [] })
      return false
    })
  }

  return {
    /** Call it when no run of before can be alive: at the start of one machine. */
    resumeAll: () => resume(true),
    async tick(): Promise<void> {
      if (clock.now() < nextAt) return
      nextAt = clock.now() + TICK_MS
      await resume(false)
      await deleteOld()
    },
  }
}

export type ExportUpkeep = ReturnType<typeof createExportUpkeep>
