import { forEachConcurrent } from '#core/async/concurrency'
import { decodeTombstones, type TombstoneRow } from '#core/lake/erase/tombstone-file'
import { tombstoneKey } from '#core/lake/model/keys'
import type { Manifest } from '#core/lake/model/manifest'
import type { Lake, Log, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import { queryItems } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { createErasedUsers } from './erased-users.ts'
import { createErasureFeed } from './erasure-feed.ts'
import { createIdentityWork } from './fold/identity-work.ts'
import { partition } from './links/pointers.ts'
import { createPersonRemoval } from './person-removal.ts'
import { createScopeStore } from './scope-store.ts'
import { ownScope } from './scopes.ts'

export type ErasureRepeatServices = StateTable & {
  lake: Pick<Lake, 'get' | 'put'>
  projects: Pick<ProjectDirectory, 'byId'>
  clock: Now
  log: Log
}

/** Sort keys of what the state knows of an id begin with one of these, followed by the hash of the id. */
const KINDS = ['traits#', 'email-of#', 'to#']
const QUERIES_AT_ONCE = 16

type Erased = Pick<TombstoneRow, 'project_id' | 'erased_until_ms'> & { user_hash: string }

/**
 * For a state that is older than the lake: it still has traits, addresses and links of people who were erased
 * since then. The tombstones of the lake have the hashes of their ids, and so do the keys of the state. So
 * whatever the state knows of them is found, and removed as by a new erasure. A request that was sent before
 * the erasure and arrives later stays erased.
 */
export function createErasureRepeat({ lake, projects, clock, log, ...state }: ErasureRepeatServices) {
  const erasedUsers = createErasedUsers(state)
  const erasureFeed = createErasureFeed({ ...state, clock })
  const work = createIdentityWork(state)
  const scopes = createScopeStore(state, work)
  const removePerson = createPersonRemoval({ erasedUsers, erasureFeed, scopes, work, lake, clock })

  /**
   * Erases the ids of the tombstones of a manifest that the state does not remember as erased. Returns how
   * many of them it knew. The fold does the work (fold.ts). It may be killed and repeated.
   */
  return async function repeatErasures({
    bucket,
    tombstones,
  }: Pick<Manifest, 'bucket' | 'tombstones'>): Promise<number> {
    let ids = 0
    for (const batch of tombstones) {
      const key = tombstoneKey(bucket, batch)
      const bytes = await lake.get(key)
      const rows = bytes === null ? [] : await decodeTombstones(bytes).catch(() => null)
      if (rows === null) log('LAKE_OBJECT_DAMAGED', { key })
      const erased = (rows ?? []).filter((row): row is TombstoneRow & Erased => row.user_hash !== null)
      for (const [projectId, ofProject] of Map.groupBy(erased, row => row.project_id))
        ids += await repeatIn(projectId, ofProject)
    }
    return ids
  }

  async function repeatIn(projectId: string, erased: readonly Erased[]): Promise<number> {
    const project = await projects.byId(projectId)
    if (project === null) return 0
    const noted = new Map<string, number>()
    for await (const page of erasedUsers.noted([projectId]))
      for (const { user_hash, until } of page)
        noted.set(user_hash, Math.max(until, noted.get(user_hash) ?? 0))
    const unknown = erased.filter(row => (noted.get(row.user_hash) ?? -1) < row.erased_until_ms)
    let ids = 0
    for (const [until, rows] of Map.groupBy(unknown, row => row.erased_until_ms)) {
      const found = new Set<string>()
      await forEachConcurrent(rows, QUERIES_AT_ONCE, async ({ user_hash }) => {
        for (const id of await idsOf(projectId, user_hash)) found.add(id)
      })
      if (found.size === 0) continue
      await removePerson(ownScope(project), [...found], { until })
      ids += found.size
    }
    return ids
  }

  /** The ids with this hash of which the state knows anything. */
  async function idsOf(projectId: string, userHash: string): Promise<string[]> {
    const ids: string[] = []
    for (const kind of KINDS) {
      const from = `${kind}${userHash.toLowerCase()}`
      for (const { previous_id, user_id } of await queryItems(
        state,
        partition(projectId),
        from,
        `${from}~`,
      )) {
        const id = kind === 'to#' ? previous_id : user_id
        if (id !== undefined) ids.push(String(id))
      }
    }
    return ids
  }
}
