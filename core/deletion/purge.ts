import { deleteLeads } from '#core/access/identities'
import { passkeysPartition } from '#core/access/passkeys'
import { shareLinksPartition } from '#core/access/share-links'
import type { AccountStore } from '#core/accounts/store'
import { forEachConcurrent } from '#core/async/concurrency'
import { slices } from '#core/async/slices'
import type { Erasures } from '#core/erasure/erasures'
import type { ErasureReceipts } from '#core/erasure/receipts'
import type { ExperimentStore } from '#core/experiments/store'
import { createIdentityWork } from '#core/identity/fold/identity-work'
import { createScopeStore } from '#core/identity/scope-store'
import type { Log, Now } from '#core/ports'
import { annotationsPartition } from '#core/projects/annotations'
import { savedViewsPartition } from '#core/projects/saved-views'
import { segmentsPartition } from '#core/projects/segments'
import type { ProjectStore } from '#core/projects/store'
import { replayListKey, replayPartition, replayUsagePartition } from '#core/replays/item-keys'
import {
  type Deletion,
  type DeletionList,
  KEPT_DELETED_MS,
  type LakeDeletion,
} from '#core/state/deletion-list'
import { queryPages } from '#core/state/query-all'
import { accountPartition, type ItemKey, type StateTable } from '#core/state/state-table'
import { BATCH_WRITES, writeItems } from '#core/state/write-items'

export type PurgeServices = StateTable & {
  clock: Now
  log: Log
  deletions: DeletionList
  projects: Pick<ProjectStore, 'byId' | 'itemKeys' | 'leavePlace' | 'list' | 'placesKey' | 'remove'>
  experiments: Pick<ExperimentStore, 'itemKeys'>
  accounts: Pick<AccountStore, 'deletedAt' | 'itemKeys' | 'identityHashes'>
  erasures: Pick<Erasures, 'purgeProject'>
  receipts: Pick<ErasureReceipts, 'isGone'>
}

/** The list is looked at this often, unless there is more to do. */
const PAUSE_MS = 3_600_000
/**
 * A tick begins nothing new after this time, ms, and goes on with another entry after a part of it: one large
 * project must not hold up the others.
 */
const TICK_MS = 20_000
const ENTRY_MS = 5_000
/** Keys of a page of items to delete, and batches that are deleted at the same time. */
const PAGE = 1_000
const CONCURRENT_BATCHES = 4

/** The time of an entry is over; the next tick goes on. */
class OutOfTime extends Error {}

/**
 * Deletes the data of projects and accounts that were deleted 30 days ago (U14). Every step may run twice, or
 * end at any item: an entry leaves the list last. The events of a project go from the lake in the hours after
 * that; until then the list names it (dueInLake).
 */
export function createPurge({
  client,
  table,
  clock,
  log,
  deletions,
  projects,
  experiments,
  accounts,
  erasures,
  receipts,
}: PurgeServices) {
  const scopes = createScopeStore({ client, table }, createIdentityWork({ client, table }))
  let nextAt = 0

  /**
   * Works off what is due, for TICK_MS at most. Returns whether there is more to do now; otherwise the list
   * is looked at again an hour later. A failed entry is logged and tried again then.
   */
  async function tick(): Promise<boolean> {
    const startedAt = clock.now()
    if (startedAt < nextAt) return false
    const isOver = () => clock.now() >= startedAt + TICK_MS
    let isUnfinished = false
    for await (const page of deletions.due()) {
      for (const deletion of page) {
        if (isOver()) return true
        if (!(await purge(deletion))) isUnfinished = true
      }
    }
    for await (const page of deletions.dueInLake()) {
      if (isOver()) return true
      await forEachConcurrent(page, PAGE, forgetInLake)
    }
    if (!isUnfinished) nextAt = startedAt + PAUSE_MS
    return isUnfinished
  }

  /** Returns false if there is more to do for the entry now. */
  async function purge(deletion: Deletion): Promise<boolean> {
    const deadline = clock.now() + ENTRY_MS
    try {
      if (deletion.kind === 'project') await purgeProject(deletion, deadline)
      else await purgeAccount(deletion, deadline)
      await deletions.remove(deletion)
    } catch (error) {
      if (error instanceof OutOfTime) return false
      log('JOB_FAILED', { job: `purge ${deletion.kind} ${deletion.id}`, error: String(error) })
    }
    return true
  }

  /** Erases the events of a project, or lets the list forget it when no file has them any more. */
  async function forgetInLake({ project_id, bucket, number }: LakeDeletion): Promise<void> {
    try {
      if (number === null) {
        const tombstone = await erasures.purgeProject({ id: project_id, bucket })
        await deletions.noteTombstone({ project_id, bucket, number: tombstone })
      } else if (await receipts.isGone(bucket, number)) await deletions.finishLake(project_id)
    } catch (error) {
      log('JOB_FAILED', { job: `purge of ${project_id} from the lake`, error: String(error) })
    }
  }

  /**
   * False where the process that wrote the entry crashed before it marked what it deletes, and then began
   * again.
   */
  function isOver(deletedAt: string | null): boolean {
    return deletedAt !== null && Date.parse(deletedAt) + KEPT_DELETED_MS <= clock.now()
  }

  async function purgeProject({ id }: Deletion, deadline: number): Promise<void> {
    const project = await projects.byId(id)
    if (project === null || !isOver(project.deleted_at)) return
    await deletions.addLake({ project_id: id, bucket: project.bucket })
    await scopes.dropProject(project)
    // Replays live as long as deleted projects are kept, so their objects are gone by now.
    await deleteItems([replayListKey(project)], deadline)
    for (const partition of [
      `usage#${id}`,
      `bots#${id}`,
      `context#${id}`,
      annotationsPartition(id),
      replayPartition(id),
      savedViewsPartition(id),
      segmentsPartition(id),
      shareLinksPartition(id),
    ])
      await deletePartition(partition, deadline)
    await deleteItems(await experiments.itemKeys(id), deadline)
    await projects.leavePlace(project)
    await deleteItems(projects.itemKeys(project), deadline)
  }

  async function purgeAccount({ id }: Deletion, deadline: number): Promise<void> {
    if (!isOver(await accounts.deletedAt(id))) return
    // The process that deleted the account may have crashed before it came to all projects.
    for (const project of await projects.list(id)) await projects.remove(project)
    for (const partition of [`usage#${id}`, `context#${id}`, replayUsagePartition(id), passkeysPartition(id)])
      await deletePartition(partition, deadline)
    await deleteLeads({ client, table }, id, await accounts.identityHashes(id))
    await deletePartition(accountPartition(id), deadline)
    await deleteItems([projects.placesKey(id), ...accounts.itemKeys(id)], deadline)
  }

  async function deletePartition(pk: string, deadline: number): Promise<void> {
    const query = {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ProjectionExpression: 'pk, sk',
      Limit: PAGE,
    }
    for await (const items of queryPages({ client, table }, query))
      await deleteItems(items as ItemKey[], deadline)
  }

  async function deleteItems(keys: readonly ItemKey[], deadline: number): Promise<void> {
    await forEachConcurrent(slices(keys, BATCH_WRITES), CONCURRENT_BATCHES, async batch => {
      if (clock.now() >= deadline) throw new OutOfTime()
      await writeItems(
        { client, table },
        batch.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
      )
    })
  }

  return { tick }
}
