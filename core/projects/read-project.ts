import { readTogether } from '#core/read-items'
import type { StateTable } from '#core/state-table'
import type { ProjectContext } from '#schemas/contexts'
import type { Annotations } from './annotations.ts'
import type { ContextStore } from './contexts.ts'
import type { Project } from './project.ts'
import type { ProjectStore } from './store.ts'

export type ProjectReaderServices = StateTable & {
  projects: Pick<ProjectStore, 'itemRead'>
  contexts: Pick<ContextStore, 'itemRead'>
  annotations: Pick<Annotations, 'list'>
}

/**
 * Creates the function by which a report opens its project. The chain has taken the project from a cache. A
 * report needs it as it is now: has it sent event_ids and links, and does it still exist? So its item is read
 * again, with the context of the project, which the report needs anyway: one request reads both. Another one
 * at the same time reads the annotations that are items of their own.
 */
export function createProjectReader({ projects, contexts, annotations, ...state }: ProjectReaderServices) {
  /** The project and its context now. Null when the project was deleted or has got another name. */
  return async function readProject(
    known: Pick<Project, 'id' | 'name'>,
  ): Promise<{ project: Project; context: ProjectContext } | null> {
    const [[project, context], own] = await Promise.all([
      readTogether(state, projects.itemRead(known.id), contexts.itemRead(known.id)),
      annotations.list(known.id),
    ])
    if (project === null || project.name !== known.name) return null
    return { project, context: { ...context, annotations: [...context.annotations, ...own] } }
  }
}

export type ReadProject = ReturnType<typeof createProjectReader>
