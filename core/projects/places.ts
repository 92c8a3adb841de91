import { unavailable } from '#core/errors'
import type { Clock } from '#core/ports'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import { createPlacesEntity } from './entities.ts'
import type { ProjectItems } from './items.ts'
import type { Reservations } from './reservations.ts'

/** So often and so long a request waits for the item of another one, before that one counts as crashed. */
const GRACE_TRIES = 6
const GRACE_PAUSE_MS = 20
const MAX_TRIES = 40

/**
 * Limits the number of live projects of an account, without transactions. The account has a list of project
 * ids. A new project adds its id to the list, and then its item is written. The list is replaced with a
 * conditional write. A project in the list counts if it is live, or if it has no item yet (pending). A
 * deleted project does not count, so a deletion need not change the list. Live projects that are not in the
 * list count too: they were created before there was a list, or while the account had no limit.
 */
export function createProjectPlaces(
  state: StateTable,
  items: Pick<ProjectItems, 'findAll'>,
  reservations: Pick<Reservations, 'listProjectIds' | 'createDeleted'>,
  clock: Pick<Clock, 'sleep'>,
) {
  const places = createPlacesEntity(state)

  /** Returns whether the account has `max` live projects. */
  async function areTaken(account_id: string, max: number): Promise<boolean> {
    return (await sortIds(account_id, [])).live.length >= max
  }

  /**
   * Takes a place for a project without an item. Returns false when the account has `max` live projects.
   * Throws UNAVAILABLE when too many others take places at the same time.
   */
  async function take(account_id: string, project_id: string, max: number): Promise<boolean> {
    let pauses = 0
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // The list is read before the projects. If another request takes a place after that, the version
      // differs.
      const before = await find(account_id)
      const { live, pending } = await sortIds(account_id, before?.project_ids ?? [])
      if (live.length >= max) return false
      if (live.length + pending.length < max) {
        if (await replace(account_id, before?.version ?? 0, [...live, ...pending, project_id])) return true
        continue
      }
      // A pending project is live within milliseconds, or its process has crashed.
      if (pauses < GRACE_TRIES) {
        pauses += 1
        await clock.sleep(GRACE_PAUSE_MS)
        continue
      }
      pauses = 0
      for (const id of pending) await reservations.createDeleted({ account_id, project_id: id })
    }
    throw unavailable(
      'Several requests create projects at the same time. Send the same request again in a second.',
      1,
    )
  }

  /**
   * Removes a project from the list, before its item is deleted. Without its item it would count as pending.
   */
  async function leave({ account_id, id }: { account_id: string; id: string }): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await find(account_id)
      if (before === null || !before.project_ids.includes(id)) return
      const others = before.project_ids.filter(each => each !== id)
      if (await replace(account_id, before.version, others)) return
    }
    throw unavailable('Several requests create projects at the same time. Try again in a second.', 1)
  }

  /** Key of the item that has the list of an account. */
  function placesKey(account_id: string): ItemKey {
    return places.get({ account_id }).params<{ Key: ItemKey }>().Key
  }

  /** The live projects of the account, and those in the list that have no item yet. */
  async function sortIds(account_id: string, listed: readonly string[]) {
    const named = await reservations.listProjectIds(account_id)
    const ids = [...new Set([...listed, ...named])]
    const found = await items.findAll(ids)
    return {
      live: ids.filter(id => found.has(id) && found.get(id)?.deleted_at === undefined),
      pending: listed.filter(id => !found.has(id)),
    }
  }

  async function find(account_id: string) {
    const { data } = await orUnavailable(places.get({ account_id }).go({ consistent: true }))
    return data
  }

  /**
   * Replaces the list if it still has the version; 0: there is no list. Returns false if it has another one.
   */
  function replace(account_id: string, version: number, project_ids: string[]): Promise<boolean> {
    const next = { project_ids, version: version + 1 }
    if (version === 0) return conditionHeld(places.create({ account_id, ...next }).go())
    const change = places
      .patch({ account_id })
      .set(next)
      .where((item, { eq }) => eq(item.version, version))
    return conditionHeld(change.go())
  }

  return { areTaken, take, leave, placesKey }
}

export type ProjectPlaces = ReturnType<typeof createProjectPlaces>
