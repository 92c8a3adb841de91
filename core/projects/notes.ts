import QuickLRU from 'quick-lru'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import { createProjectEntity } from './entities.ts'
import type { EventIdNotes, LinkNotes } from './project.ts'

/** Projects that a process remembers as senders of event_ids, and of links. */
const MAX_NOTED_PROJECTS = 10_000

/** Notes in a project's item what its events have brought. A note is never taken back. */
export function createProjectNotes(state: StateTable): EventIdNotes & LinkNotes {
  const projects = createProjectEntity(state)
  const eventIdSenders = new QuickLRU<string, true>({ maxSize: MAX_NOTED_PROJECTS })
  /** Whether the project has also linked anonymous ids. */
  const linkSenders = new QuickLRU<string, boolean>({ maxSize: MAX_NOTED_PROJECTS })

  async function noteEventIds(id: string): Promise<void> {
    if (eventIdSenders.has(id)) return
    // The condition fails for a project without an item, whose events nobody can read.
    await conditionHeld(projects.patch({ id }).set({ has_event_ids: true }).go())
    eventIdSenders.set(id, true)
  }

  async function noteLinks(id: string, linksAnonymousIds: boolean): Promise<void> {
    if (linkSenders.get(id) === true || linkSenders.get(id) === linksAnonymousIds) return
    const flags = { has_links: true, ...(linksAnonymousIds && { has_linked_anonymous_ids: true }) }
    await conditionHeld(projects.patch({ id }).set(flags).go())
    linkSenders.set(id, linksAnonymousIds)
  }

  return { noteEventIds, noteLinks }
}
