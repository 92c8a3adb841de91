import { type Caller, hasScope } from '#core/access/caller'
import { ApiError } from '#core/errors'
import type { Project } from '#core/projects/project'
import { type Ok, ok, type Refuse, refuse } from './results.ts'
import type { Sender } from './sender.ts'

type Checked = Ok<{ isCredentialed: boolean }>

const WRONG =
  'The credential is unknown, expired or revoked. Send a valid one of the account that owns the project, or none: the token alone stores events of browsers.'
const OF_OTHERS =
  'The credential may not write for this project. Send one of the account that owns it, with the scope `projects:write`, or none.'

/**
 * Adds whether the request also carries a credential that may write for the project: one of its account with
 * the scope `projects:write`. A credential that does nothing is refused (U85), because a server that sends it
 * relies on it, and only the response can tell the server. Pages send none, and wait for no look-up.
 */
export function checkCredential({
  project,
  sender,
}: {
  project: Project
  sender: Pick<Sender, 'findCaller'>
}): Checked | Promise<Checked | Refuse> {
  const found = sender.findCaller()
  return found === undefined
    ? ok({ isCredentialed: false })
    : found.then(caller => judgeCaller(caller, project))
}

function judgeCaller(caller: Caller | null, project: Project): Checked | Refuse {
  if (caller === null) {
    const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
    return refuse(new ApiError('AUTH_REQUIRED', WRONG, { headers }), 'credential')
  }
  const isOfProject = caller.account.id === project.account_id && hasScope(caller, 'projects:write')
  if (isOfProject) return ok({ isCredentialed: true })
  return refuse(new ApiError('FORBIDDEN', OF_OTHERS), 'credential')
}
