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
  const seen = shownOrigin(origin)
  return refuse(
    new ApiError(
      'FORBIDDEN',
      `The project does not accept events from ${seen ?? 'this origin'}. Add the origin to \`allowed_origins\` of the project.`,
    ),
    'origin',
    seen,
  )
}

/** The longest origin that is shown, characters: a host name has 253. */
const MAX_ORIGIN_CHARS = 300
/**
 * As browsers write origins. Whoever has the public token can send any text, and the owner's agent reads it.
 */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-zA-Z0-9._:[\]-]+$/

/**
 * The origin for a message or a count; null for a text that is no origin, such as that of a sandboxed frame.
 */
function shownOrigin(origin: string | undefined): string | null {
  return origin !== undefined && origin.length <= MAX_ORIGIN_CHARS && ORIGIN.test(origin) ? origin : null
}
