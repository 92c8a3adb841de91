import { forEachConcurrent } from '#core/async/concurrency'
import { unavailable } from '#core/errors'
import type { Lake, Now } from '#core/ports'
import type { ReplayQuota } from './quota.ts'
import { beforeStart, objectsPrefix, type Replay } from './replay.ts'
import type { ReplayStore } from './store.ts'

export type RemovalServices = {
  replays: Pick<ReplayStore, 'pages' | 'markRemoved' | 'remove'>
  quota: Pick<ReplayQuota, 'release'>
  objects: Pick<Lake, 'list' | 'delete'>
  clock: Now
}

const PAGE = 100
const CONCURRENCY = 8
/** A request deletes for this time at most, ms; a function of AWS has 29 s. */
const REQUEST_MS = 20_000
/** Background work deletes for this time at most, ms: other work of the same process waits for it. */
const PASS_MS = 10_000

/** Deletes replays with every byte of them. */
export function createReplayRemoval({ replays, quota, objects, clock }: RemovalServices) {
  /**
   * Deletes one replay: its objects, also those that no record names, then its items. Before that it is
   * marked, so that no chunk is added after its objects were listed. If it fails in between, the replay is
   * still found and can be deleted again. Returns false if it was gone.
   */
  async function remove(replay: Replay): Promise<boolean> {
    if (!(await replays.markRemoved(replay))) return false
    const stored = await objects.list(objectsPrefix(replay.id))
    await objects.delete(stored.map(({ key }) => key))
    const removed = await replays.remove(replay)
    if (removed === null) return false
    await quota.release(removed, removed.committed_bytes, removed.finished_chunks !== null)
    return true
  }

  /** Deletes all replays of some projects, and returns their number. Throws as removeEach. */
  async function removeOfProjects(projectIds: readonly string[]): Promise<number> {
    const end = clock.now() + REQUEST_MS
    let removed = 0
    for (const projectId of projectIds) {
      for await (const page of replays.pages(projectId, PAGE, { after: '' }))
        removed += await removeUntil(end, page, removed)
    }
    return removed
  }

  /**
   * Deletes the replays of a project that began before `at`, Unix ms. Returns whether all of them are gone:
   * after PASS_MS the rest is left to the next call.
   */
  async function removeBefore(projectId: string, at: number): Promise<boolean> {
    const end = clock.now() + PASS_MS
    for await (const page of replays.pages(projectId, PAGE, { after: '', before: beforeStart(at) })) {
      await forEachConcurrent(page, CONCURRENCY, remove)
      if (clock.now() > end) return false
    }
    return true
  }

  /**
   * Deletes these replays. Throws UNAVAILABLE when the time of a request is over before all are gone; each
   * request deletes some, so the same request again goes on.
   */
  async function removeEach(found: readonly Replay[]): Promise<void> {
    await removeUntil(clock.now() + REQUEST_MS, found, 0)
  }

  /** `before`: how many the request has deleted so far. */
  async function removeUntil(end: number, found: readonly Replay[], before: number): Promise<number> {
    let removed = 0
    await forEachConcurrent(found, CONCURRENCY, async replay => {
      if (before + removed > 0 && clock.now() > end) {
        const message = `There are more replays; ${before + removed} are deleted now. Send the same request again.`
        throw unavailable(message, 1)
      }
      if (await remove(replay)) removed += 1
    })
    return removed
  }

  return { remove, removeEach, removeOfProjects, removeBefore }
}

export type ReplayRemoval = ReturnType<typeof createReplayRemoval>
