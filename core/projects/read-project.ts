import { readTogether } from '#core/state/read-items'
import type { StateTable } from '#core/state/state-table'
import type { ProjectContext } from '#schemas/contexts'
import type { Annotations } from './annotations.ts'
import { type ContextStore, withOwn } from './contexts.ts'
import type { Project } from './project.ts'
import type { ProjectStore } from './store.ts'

export type ProjectReaderServices = StateTable & {
  projects: Pick<ProjectStore, 'itemRead'>
  contexts: Pick<ContextStore, 'itemRead'>
  annotations: Pick<Annotations, 'list'>
}

export type OpenedProject = {
  project: Project
  /** The context without annotations before a time, Unix ms; it may have some of them. */
  contextSince(since: number): Promise<ProjectContext>
}

/**
 * Creates the function by which a report opens its project. The chain has taken the project from a cache. A
 * report needs it as it is now: has it sent event_ids and links, and does it still exist? So its item is read
 * again, with the context of the project, which the report needs anyway: one request reads both. Another one
 * reads the annotations that are items of their own, when the report knows where its range begins.
 */
export function createProjectReader({ projects, contexts, annotations, ...state }: ProjectReaderServices) {
  /** The project and its context now. Null when the project was deleted or has got another name. */
  return async function readProject({
    id,
    name,
  }: Pick<Project, 'id' | 'name'>): Promise<OpenedProject | null> {
    const [project, context] = await readTogether(state, projects.itemRead(id), contexts.itemRead(id))
    if (project === null || project.name !== name) return null
    return { project, contextSince: async since => withOwn(context, await annotations.list(id, since)) }
  }
}

export type ReadProject = ReturnType<typeof createProjectReader>
