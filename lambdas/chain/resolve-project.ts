import type { Caller } from '#core/access/caller'
import type { Demo } from '#core/access/demo'
import { ApiError } from '#core/errors'
import type { Project, ProjectDirectory } from '#core/projects/project'
import type { ProjectStore } from '#core/projects/store'
import { quoted } from '#core/text/clean-text'
import type { JsonObject } from '#core/text/json-object'
import type { Exchange } from './chain.ts'

export type ProjectServices = {
  projects: Pick<ProjectDirectory, 'resolve' | 'byId'> & Pick<ProjectStore, 'list'>
  demo: Pick<Demo, 'project'>
}

/**
 * Finds the project that the request names, among the live projects of the caller's account. This is the one
 * place that binds a request to a project. Throws PROJECT_REQUIRED, or NOT_FOUND for an unknown, deleted or
 * foreign project (R9); a foreign project that the path names by its id is FORBIDDEN (docs/api/errors.md).
 */
export function resolveProject({ projects, demo }: ProjectServices) {
  return async function resolveProject(
    call: Exchange & { caller: Caller; json: JsonObject },
  ): Promise<{ project: Project | undefined }> {
    const { route, caller } = call
    if (route.project === undefined) return { project: undefined }
    const name = projectNames[route.project](call) ?? (await firstProject(call))
    if (typeof name !== 'string' || name === '') throw new ApiError('PROJECT_REQUIRED')
    // A demo session sees the demo project, whatever its commands call it (docs/api/agent-sessions.md), and a
    // share link the project that it shows.
    const project =
      caller.credential.kind === 'demo'
        ? await demo.project()
        : await projects.resolve(caller.account.id, caller.shared?.project.id ?? name)
    if (project !== null) return { project }
    const foreign = route.project === 'path' ? await projects.byId(name) : null
    if (foreign !== null && foreign.deleted_at === null && foreign.account_id !== caller.account.id) {
      throw new ApiError('FORBIDDEN', 'This project belongs to another account. GET /projects lists yours.')
    }
    throw projectNotFound(name)
  }

  /** The id of the project that a request means when it names none. */
  async function firstProject({ route, caller }: Exchange & { caller: Caller }): Promise<string | undefined> {
    if (route.project !== 'query_or_first') return undefined
    if (caller.credential.kind === 'demo') return (await demo.project())?.id
    const [first] = await projects.list(caller.account.id)
    return first?.id
  }
}

export function projectNotFound(nameOrId: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `The account has no project with the name or id ${quoted(nameOrId)}. GET /projects lists its projects.`,
  )
}

/** Where a row says that the request names its project. */
const projectNames = {
  path: ({ request }: Exchange): unknown => request.params.id,
  query: ({ request }: Exchange): unknown => request.query.project,
  query_or_first: ({ request }: Exchange): unknown => request.query.project || undefined,
  body: ({ json }: Exchange & { json: JsonObject }): unknown => json.project,
  body_or_query: ({ request, json }: Exchange & { json: JsonObject }): unknown =>
    json.project ?? request.query.project,
}
