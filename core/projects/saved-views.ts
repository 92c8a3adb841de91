import type { Now } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { MAX_SAVED_VIEWS, type SavedView } from '#schemas/saved-views'
import { createBoundedRecords } from './bounded-records.ts'

export const savedViewsPartition = (projectId: string) => `views#${projectId}`

/** The places of saved views. */
export function openSavedViewRecords(state: StateTable) {
  return createBoundedRecords<Omit<SavedView, 'id'>>(state, {
    partitionOf: savedViewsPartition,
    prefix: 'view',
    max: MAX_SAVED_VIEWS,
  })
}

/** The saved views of the dashboard: at most 100 a project, each of at most 2.5 KB. */
export function createSavedViews({ clock, ...state }: StateTable & { clock: Now }) {
  const views = openSavedViewRecords(state)

  /** By name. */
  async function list(projectId: string): Promise<SavedView[]> {
    const all = await views.list(projectId)
    return all.toSorted((a, b) => a.name.localeCompare(b.name) || a.created_at - b.created_at)
  }

  /** Returns null if the project has as many as it may have. */
  function create(projectId: string, view: Pick<SavedView, 'name' | 'query'>): Promise<SavedView | null> {
    return views.add(projectId, { name: view.name, query: view.query, created_at: clock.now() })
  }

  return { list, create, remove: views.remove }
}

export type SavedViews = ReturnType<typeof createSavedViews>
