import { ApiError } from '#core/errors'
import { isAllowedOrigin } from '#core/projects/origins'
import type { Project } from '#core/projects/project'
import { type Ok, ok, type Refuse, refuse } from './results.ts'
import type { Sender } from './sender.ts'

/**
 * Refuses pages of an origin that the project does not allow. Servers send no Origin and may always track.
 */
export function checkOrigin({
  project,
  sender: { origin },
}: {
  project: Project
  sender: Pick<Sender, 'origin'>
}): Ok<void> | Refuse {
  if (isAllowedOrigin(project, origin)) return ok(undefined)
  return refuse(
    new ApiError(
      'FORBIDDEN',
      'The project does not accept events from this origin. Add the origin to `allowed_origins` of the project.',
    ),
  )
}
