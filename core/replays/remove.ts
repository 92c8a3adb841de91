import { forEachConcurrent } from '#core/concurrency'
import { unavailable } from '#core/errors'
import type { Clock, Lake } from '#core/ports'
import type { ReplayQuota } from './quota.ts'
import { objectsPrefix, type Replay } from './replay.ts'
import type { ReplayStore } from './store.ts'

export type RemovalServices = {
  replays: Pick<ReplayStore, 'pages' | 'remove'>
  quota: Pick<ReplayQuota, 'release'>
  objects: Pick<Lake, 'list' | 'delete'>
  clock: Clock
}

const PAGE = 100
const CONCURRENCY = 8
/** A request deletes for this time at most, ms; a function of AWS has 29 s. */
const REQUEST_MS = 20_000

/** Deletes replays with every byte of them. */
export function createReplayRemoval({ replays, quota, objects, clock }: RemovalServices) {
  /**
   * Deletes one replay: its objects, also those that no record names, then its items. If it fails in between,
   * the replay is still found and can be deleted again. Returns false if it was gone.
   */
  async function remove(replay: Replay): Promise<boolean> {
    const stored = await objects.list(objectsPrefix(replay.id))
    await objects.delete(stored.map(({ key }) => key))
    const isRemoved = await replays.remove(replay)
    const isFinished = replay.finished_chunks !== null
    if (isRemoved) await quota.release(replay.account_id, replay.committed_bytes, isFinished)
    return isRemoved
  }

  /**
   * Deletes the replays of a project that `isChosen` selects, and returns their number. Throws UNAVAILABLE
   * when the time of a request is over before all are gone; the same request again goes on.
   */
  async function removeOfProject(projectId: string, isChosen: (replay: Replay) => boolean): Promise<number> {
    const end = clock.now() + REQUEST_MS
    let removed = 0
    for await (const page of replays.pages(projectId, PAGE)) {
      await forEachConcurrent(page.filter(isChosen), CONCURRENCY, async replay => {
        if (await remove(replay)) removed += 1
      })
      if (clock.now() > end) {
        throw unavailable(
          `There are more replays; ${removed} are deleted now. Send the same request again.`,
          1,
        )
      }
    }
    return removed
  }

  return { remove, removeOfProject }
}

export type ReplayRemoval = ReturnType<typeof createReplayRemoval>
