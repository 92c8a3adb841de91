import type { JobQueue, Lake, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { EXPORT_PREFIX } from '#schemas/exports'
import { type Export, type ExportJob, isEnded, parseFileKey } from './export.ts'
import { createExportStore } from './export-store.ts'
import { createOpenExports } from './open-exports.ts'
import { ERASED, type ErasureList, isErasedSince } from './void-export.ts'

export type ExportUpkeepServices = StateTable & {
  objects: Pick<Lake, 'listPage' | 'delete'>
  projects: Pick<ProjectDirectory, 'byId'>
  erasureFeed: ErasureList
  jobs: JobQueue<ExportJob>
  clock: Now
}

/** Pause between two looks, ms. The scheduler on AWS calls every minute. */
const TICK_MS = 10 * 60_000

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
      if (found === null || isEnded(found)) await open.release(entry)
      else if (areAllLeft || found.leased_until <= clock.now())
        await jobs.send({ kind: 'export', account_id: found.account_id, id: found.id, takesOver: areAllLeft })
    }
  }

  async function deleteOld(): Promise<void> {
    const wanted = new Map<string, Promise<boolean>>()
    for (let after: string | null = null; ; ) {
      const page = await objects.listPage(EXPORT_PREFIX, after)
      const old: string[] = []
      for (const { key } of page.objects) {
        const of = parseFileKey(key)
        if (of === null) continue
        const asked = wanted.get(of.id) ?? isWanted(await store.find(of))
        wanted.set(of.id, asked)
        if (!(await asked)) old.push(key)
      }
      if (old.length > 0) await objects.delete(old)
      if (page.next === null) return
      after = page.next
    }
  }

  /** Whether files of the export may stay. */
  async function isWanted(found: Export | null): Promise<boolean> {
    if (found === null || found.status === 'failed') return false
    const project = await projects.byId(found.project_id)
    if (project === null || project.deleted_at !== null) return false
    if (found.status !== 'done' || !(await isErasedSince(erasureFeed, found))) return true
    await store.change(found, { status: 'failed', reason: ERASED, files: [] })
    return false
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
