import { forEachConcurrent } from '#core/async/concurrency'
import type { Log, Now } from '#core/ports'
import { readItem } from '#core/state/read-items'
import { type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS, utcDate } from '#core/time'
import { REPLAY_LIMITS } from '#schemas/replays'
import type { ReplayQuota } from './quota.ts'
import type { ReplaySettingsStore } from './settings.ts'

export type UpkeepServices = StateTable & {
  settings: Pick<ReplaySettingsStore, 'accounts'>
  quota: Pick<ReplayQuota, 'recount'>
  /**
   * Deletes the objects of replays that began before this UTC day, such as `2026-11-29`. It must not need a
   * list of all objects.
   * Null where the objects expire by themselves, as in S3.
   */
  deleteDaysBefore: ((day: string) => Promise<void>) | null
  clock: Now
  log: Log
}

/** A tick begins nothing new after this time, ms: other work of the same process waits for it. */
const TICK_MS = 10_000
const CONCURRENCY = 8

/** How far a day's work has come. It outlives a process, because on AWS each tick may be in another one. */
const KEY: ItemKey = { pk: 'install', sk: 'replay-upkeep' }
type Progress = { day: string /** The last account that was counted. */; after: string; is_done: boolean }

/**
 * Once a day: counts the bytes of all accounts with replays anew, because replays expire by themselves and a
 * recorder may never say that it has ended; and deletes the objects of expired days.
 */
export function createReplayUpkeep({
  client,
  table,
  settings,
  quota,
  deleteDaysBefore,
  clock,
  log,
}: UpkeepServices) {
  let doneOn = ''

  /** Works for TICK_MS at most. The next tick goes on. */
  async function tick(): Promise<void> {
    const today = utcDate(clock.now())
    if (doneOn === today) return
    const progress = await readProgress(today)
    if (!progress.is_done) await work(progress)
    if (progress.is_done) doneOn = today
  }

  async function work(progress: Progress): Promise<void> {
    const end = clock.now() + TICK_MS
    // An object goes a day later than what leads to it.
    const expired = utcDate(clock.now() - (REPLAY_LIMITS.retention_days + 1) * DAY_MS)
    if (progress.after === '') await deleteDaysBefore?.(expired)
    for await (const accounts of settings.accounts(progress.after)) {
      await forEachConcurrent(accounts, CONCURRENCY, async account => {
        if (!(await quota.recount(account)))
          log('JOB_FAILED', { job: `count of the replays of ${account}`, error: 'Uploads came meanwhile.' })
      })
      progress.after = accounts.at(-1) ?? progress.after
      await write(progress)
      if (clock.now() >= end) return
    }
    progress.is_done = true
    await write(progress)
  }

  async function readProgress(today: string): Promise<Progress> {
    const Item = await readItem({ client, table }, KEY)
    const begun = Item?.day === today
    return { day: today, after: begun ? String(Item.after) : '', is_done: begun && Item.is_done === true }
  }

  async function write(progress: Progress): Promise<void> {
    await orUnavailable(client.put({ TableName: table, Item: { ...KEY, ...progress } }))
  }

  return { tick }
}
