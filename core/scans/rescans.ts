import type { JobQueue, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import { queryPages } from '#core/state/query-all'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS, utcDate } from '#core/time'
import type { RunningScans } from './running-scans.ts'
import type { Scan, ScanJob, ScanKey } from './scan.ts'
import type { ScanStore } from './scan-store.ts'

export type RescanServices = StateTable & {
  store: Pick<ScanStore, 'find' | 'put'>
  running: Pick<RunningScans, 'admit'>
  projects: Pick<ProjectDirectory, 'byId'>
  clock: Now
}

/** A site of a project is analysed again after this time. */
const RESCAN_MS = 30 * DAY_MS
/** Re-scans that one tick begins; further ones wait for the next tick. */
const PER_TICK = 4
/**
 * One tick looks at no more entries than this. An entry that cannot begin now can begin some minutes later,
 * so a later tick comes to the entries after these.
 */
const MAX_LOOKED_AT = 200
const PAGE = 25
/** One partition for the list: an item for each analysis that belongs to a project. */
const PK = 'scan-rescans'

type Due = ScanKey & { sk: string }

/**
 * Analyses the sites of projects again, once a month: the newest full analysis of each project. The list has
 * one item for each of them, ordered by the day on which it is due.
 */
export function createRescans({ client, table, clock, store, running, projects }: RescanServices) {
  /** Puts a full analysis of a project on the list, at its end. */
  async function plan({ account_id, id, project_id }: Scan): Promise<void> {
    if (project_id === undefined) return
    const sk = `${utcDate(clock.now() + RESCAN_MS)}#${id}`
    await orUnavailable(client.put({ TableName: table, Item: { pk: PK, sk, account_id, id } }))
  }

  /**
   * Begins what is due, as far as there is room. An analysis that is gone, or whose project is, leaves the
   * list. A host that is being analysed now waits for a later tick; the tick goes on with the next entry.
   */
  async function tick(jobs: JobQueue<ScanJob>): Promise<void> {
    const query = {
      KeyConditionExpression: 'pk = :pk AND sk < :until',
      ExpressionAttributeValues: { ':pk': PK, ':until': `${utcDate(clock.now())}~` },
      ConsistentRead: true,
      Limit: PAGE,
    }
    let begun = 0
    let lookedAt = 0
    for await (const due of queryPages({ client, table }, query)) {
      for (const item of due) {
        const outcome = await begin(item as Due, jobs)
        if (outcome === 'begun') begun += 1
        if (outcome === 'full' || begun >= PER_TICK) return
      }
      lookedAt += due.length
      if (lookedAt >= MAX_LOOKED_AT) return
    }
  }

  /** `skipped`: not now, or never again. `full`: no analysis of any host can begin now. */
  async function begin(
    { account_id, id, sk }: Due,
    jobs: JobQueue<ScanJob>,
  ): Promise<'begun' | 'skipped' | 'full'> {
    const scan = await store.find({ account_id, id })
    if (scan === null || !(await isWanted(scan))) {
      await drop(sk)
      return 'skipped'
    }
    // It began a month ago. If it has not ended yet, its worker was killed for good, and it begins again.
    const busy = await running.admit(scan)
    if (busy !== null) return busy.reason === 'full' ? 'full' : 'skipped'
    // The end of the analysis plans the next one too. But if its worker is killed, it never comes to its end.
    await plan(scan)
    const { attempt, finished_at, failure, quota_month, ...kept } = scan
    await store.put({
      ...kept,
      status: 'pending',
      stage: 'queued',
      attempts: 0,
      started_at: clock.now(),
      is_rescan: true,
    })
    await drop(sk)
    await jobs.send({ kind: 'scan', account_id, id })
    return 'begun'
  }

  /** An analysis that was made again in the meantime is on the list a second time, for later. */
  async function isWanted({ account_id, mode, project_id, started_at }: Scan): Promise<boolean> {
    if (started_at > clock.now() - RESCAN_MS + DAY_MS) return false
    const project = project_id === undefined ? null : await projects.byId(project_id)
    return mode === 'full' && project?.deleted_at === null && project.account_id === account_id
  }

  async function drop(sk: string): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: { pk: PK, sk } }))
  }

  return { plan, tick }
}
