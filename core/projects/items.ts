import type { EntityItem } from 'electrodb'
import { type ItemRead, readAllKeys } from '#core/state/read-items'
import { type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import { createProjectEntity, createTokenEntity } from './entities.ts'
import type { Project } from './project.ts'

/** A project as its item stores it. */
export type ProjectItem = EntityItem<ReturnType<typeof createProjectEntity>>

/** Reads the items of projects from the state, as they are now. */
export function createProjectItems(state: StateTable) {
  const projects = createProjectEntity(state)
  const tokens = createTokenEntity(state)

  async function find(id: string): Promise<ProjectItem | null> {
    const { data } = await orUnavailable(projects.get({ id }).go({ consistent: true }))
    return data
  }

  /** Returns the items of projects by their ids, as they are now. */
  async function findAll(ids: readonly string[]): Promise<Map<string, ProjectItem>> {
    const keys = ids.map(id => ({ id }))
    const items = await readAllKeys(keys, left => projects.get(left).go({ consistent: true, concurrency: 4 }))
    return new Map(items.map(item => [item.id, item]))
  }

  /**
   * Reads the project together with another item (readTogether). Null for an unknown and for a deleted
   * project.
   */
  function itemRead(id: string): ItemRead<Project | null> {
    return {
      Key: projects.get({ id }).params<{ Key: ItemKey }>().Key,
      parse: Item => {
        const item = Item === undefined ? null : projects.parse({ Item }).data
        return item === null || item.deleted_at !== undefined ? null : toProject(item)
      },
    }
  }

  /** The keys of all items of a project that this room owns, beside reservations, which `remove` releases. */
  function itemKeys({ id, project_token }: Pick<Project, 'id' | 'project_token'>): ItemKey[] {
    return [
      tokens.get({ project_token }).params<{ Key: ItemKey }>().Key,
      projects.get({ id }).params<{ Key: ItemKey }>().Key,
    ]
  }

  return { find, findAll, itemRead, itemKeys }
}

export type ProjectItems = ReturnType<typeof createProjectItems>

export function toProject({ version, ...item }: ProjectItem): Project {
  const { source_scan_id = null, timezone = null, deleted_at = null, portfolio_id = null } = item
  const { display_name = null, retention_days = null } = item
  const { has_event_ids = false, has_links = false, has_linked_anonymous_ids = false } = item
  const flags = { has_event_ids, has_links, has_linked_anonymous_ids }
  return {
    ...{ ...item, display_name, source_scan_id, timezone, retention_days, deleted_at, portfolio_id },
    ...flags,
  }
}
