import { deleteLeads } from '#core/accounts/identities'
import type { AccountStore } from '#core/accounts/store'
import type { Erasures } from '#core/erasure/erasures'
import type { ExperimentStore } from '#core/experiments/store'
import { partition as identityPartition } from '#core/identity/link-store'
import type { Clock, Log } from '#core/ports'
import type { ProjectStore } from '#core/projects/store'
import { queryAll } from '#core/query-all'
import { accountPartition, type ItemKey, orUnavailable, type StateTable } from '#core/state-table'
import { type Deletion, type DeletionList, KEPT_DELETED_MS } from './deletion-list.ts'

export type PurgeServices = StateTable & {
  clock: Clock
  log: Log
  deletions: DeletionList
  projects: Pick<ProjectStore, 'byId' | 'itemKeys' | 'list' | 'remove'>
  experiments: Pick<ExperimentStore, 'itemKeys'>
  accounts: Pick<AccountStore, 'deletedAt' | 'itemKeys' | 'identityHashes'>
  erasures: Pick<Erasures, 'purgeProject'>
}

/** The list is looked at this often. */
const PAUSE_MS = 3_600_000

/**
 * Deletes the data of projects and accounts that were deleted 30 days ago (contract 7, U14). Every step may run twice: an
 * entry leaves the list last. The events of a project go from the lake in the hours after that; until then the list names it (dueInLake).
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
}: PurgeServices) {
  let nextAt = 0

  /** Works off what is due, at most once an hour. A failed entry is logged and tried again an hour later. */
  async function tick(): Promise<void> {
    if (clock.now() < nextAt) return
    nextAt = clock.now() + PAUSE_MS
    for (const deletion of await deletions.due()) {
      try {
        if (deletion.kind === 'project') await purgeProject(deletion)
        else await purgeAccount(deletion)
        await deletions.remove(deletion)
      } catch (error) {
        log('JOB_FAILED', { job: `purge ${deletion.kind} ${deletion.id}`, error: String(error) })
      }
    }
    for (const { project_id, bucket } of await deletions.dueInLake()) {
      if (await erasures.purgeProject({ id: project_id, bucket })) await deletions.finishLake(project_id)
    }
  }

  /** False where the process that wrote the entry crashed before it marked what it deletes, and then began again. */
  function isOver(deletedAt: string | null): boolean {
    return deletedAt !== null && Date.parse(deletedAt) + KEPT_DELETED_MS <= clock.now()
  }

  async function purgeProject({ id }: Deletion): Promise<void> {
    const project = await projects.byId(id)
    if (project === null || !isOver(project.deleted_at)) return
    await deletions.addLake({ project_id: id, bucket: project.bucket })
    for (const partition of [`usage#${id}`, `bots#${id}`, `context#${id}`, identityPartition(id)])
      await deletePartition(partition)
    await deleteItems(await experiments.itemKeys(id))
    await deleteItems(projects.itemKeys(project))
  }

  async function purgeAccount({ id }: Deletion): Promise<void> {
    if (!isOver(await accounts.deletedAt(id))) return
    // The process that deleted the account may have crashed before it came to all projects.
    for (const project of await projects.list(id)) await projects.remove(project)
    for (const partition of [`usage#${id}`, `context#${id}`]) await deletePartition(partition)
    await deleteLeads({ client, table }, id, await accounts.identityHashes(id))
    await deletePartition(accountPartition(id))
    await deleteItems(accounts.itemKeys(id))
  }

  async function deletePartition(pk: string): Promise<void> {
    const items = await queryAll(
      { client, table },
      {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ProjectionExpression: 'pk, sk',
      },
    )
    await deleteItems(items as ItemKey[])
  }

  async function deleteItems(keys: readonly ItemKey[]): Promise<void> {
    for (const { pk, sk } of keys) {
      await orUnavailable(client.delete({ TableName: table, Key: { pk, sk } }))
    }
  }

  return { tick }
}

export type Purge = ReturnType<typeof createPurge>
