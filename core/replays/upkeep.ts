import type { Clock, Lake, Log } from '#core/ports'
import { DAY_MS, utcDate } from '#core/time'
import { REPLAY_LIMITS, REPLAY_PREFIX } from '#schemas/replays'
import type { ReplayQuota } from './quota.ts'
import { statusOf } from './replay.ts'
import type { ReplaySettingsStore } from './settings.ts'
import type { ReplayStore } from './store.ts'

export type UpkeepServices = {
  settings: Pick<ReplaySettingsStore, 'projects'>
  replays: Pick<ReplayStore, 'pages'>
  quota: Pick<ReplayQuota, 'recount'>
  /** Null where the objects expire by themselves, as in S3. */
  objects: Pick<Lake, 'list' | 'delete'> | null
  clock: Clock
  log: Log
}

const PAGE = 100
/** Objects that are deleted at the same time. */
const BATCH = 1_000

/**
 * Once a day: counts the bytes of all accounts with replays anew, because replays expire by themselves and a
 * recorder may never say that it has ended; and deletes the objects of expired days.
 */
export function createReplayUpkeep({ settings, replays, quota, objects, clock, log }: UpkeepServices) {
  let doneOn = ''

  async function tick(): Promise<void> {
    const today = utcDate(clock.now())
    if (doneOn === today) return
    await deleteExpired()
    const projects = await settings.projects()
    const accounts = Map.groupBy(projects, ({ account_id }) => account_id)
    for (const [account, owned] of accounts) {
      const ids = owned.map(({ project_id }) => project_id)
      if (!(await quota.recount(account, () => count(ids))))
        log('JOB_FAILED', { job: `count of the replays of ${account}`, error: 'Uploads came meanwhile.' })
    }
    doneOn = today
  }

  /** What the replays of an account store, and what those that go on may still store. */
  async function count(projectIds: readonly string[]): Promise<{ held: number; committed: number }> {
    const sum = { held: 0, committed: 0 }
    for (const id of projectIds) {
      for await (const page of replays.pages(id, PAGE)) {
        for (const replay of page) {
          const isOpen = statusOf(replay, clock.now()) === 'recording'
          sum.committed += replay.committed_bytes
          sum.held += isOpen ? REPLAY_LIMITS.max_bytes : replay.committed_bytes
        }
      }
    }
    return sum
  }

  async function deleteExpired(): Promise<void> {
    if (objects === null) return
    const oldest = utcDate(clock.now() - (REPLAY_LIMITS.retention_days + 1) * DAY_MS)
    const stored = await objects.list(REPLAY_PREFIX)
    const expired = stored.map(({ key }) => key).filter(key => (key.split('/')[1] ?? '') < oldest)
    for (let i = 0; i < expired.length; i += BATCH) await objects.delete(expired.slice(i, i + BATCH))
  }

  return { tick }
}
