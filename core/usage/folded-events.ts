import { queryItems } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { ownerPartition } from './item-keys.ts'

/** Returns the events of a project on each day (YYYY-MM-DD) with any, without open counts. */
export type ReadFoldedEvents = (projectId: string) => Promise<ReadonlyMap<string, number>>

export function createFoldedEvents(state: StateTable): ReadFoldedEvents {
  return async function readFoldedEvents(projectId) {
    const days = new Map<string, number>()
    for (const item of await queryItems(state, ownerPartition(projectId), '0', '9')) {
      for (const [name, value] of Object.entries(item)) {
        if (!/^e\d\d$/.test(name)) continue
        const day = `${String(item.sk).slice(0, 7)}-${name.slice(1)}`
        days.set(day, (days.get(day) ?? 0) + Number(value))
      }
    }
    return days
  }
}
