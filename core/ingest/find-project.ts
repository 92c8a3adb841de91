import type { Project, ProjectDirectory } from '#core/projects/project'
import { type Ok, ok, type Refuse, refuse } from './results.ts'
import { type TrackRequest, unknownTokenError } from './track-request.ts'

/** Adds the live project of the token. Refuses an unknown token with INVALID_TOKEN. */
export function findProject({ projects }: { projects: Pick<ProjectDirectory, 'byToken'> }) {
  return async ({
    trackRequest,
  }: {
    trackRequest: TrackRequest
  }): Promise<Ok<{ project: Project }> | Refuse> => {
    const project = await projects.byToken(trackRequest.token)
    return project === null ? refuse(unknownTokenError(), 'token') : ok({ project })
  }
}
