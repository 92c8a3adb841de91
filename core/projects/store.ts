import type { Clock } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import type { UsageCounters } from '#core/usage/counters'
import { createProjectDirectory } from './directory.ts'
import { createProjectItems } from './items.ts'
import { createProjectNotes } from './notes.ts'
import { createProjectPlaces } from './places.ts'
import { createReservations } from './reservations.ts'
import { createProjectWriter, type SourceScans } from './writer.ts'

export type ProjectStoreServices = StateTable & {
  clock: Clock
  usage: Pick<UsageCounters, 'totals'>
  scans: SourceScans
  /** See ProjectDirectoryServices. */
  tokenMs?: number | undefined
}

/** Projects by docs/api/projects.md. */
export function createProjectStore({ clock, usage, scans, tokenMs, ...state }: ProjectStoreServices) {
  const { itemRead, itemKeys, ...items } = createProjectItems(state)
  const reservations = createReservations(state, items, clock)
  const places = createProjectPlaces(state, items, reservations, clock)
  const services = { ...state, clock, items, reservations }
  const { forgetToken, ...directory } = createProjectDirectory({ ...services, tokenMs })
  const writer = createProjectWriter({ ...services, places, usage, scans, onChanged: forgetToken })

  return {
    ...directory,
    ...createProjectNotes(state),
    ...writer,
    itemRead,
    itemKeys,
    placesKey: places.placesKey,
    leavePlace: places.leave,
  }
}

export type ProjectStore = ReturnType<typeof createProjectStore>
