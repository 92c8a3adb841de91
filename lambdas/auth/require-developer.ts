import { isSame } from '#core/access/tokens'
import { ApiError } from '#core/errors'
import { authRequired } from '#lambdas/chain/authenticate'
import { isOfThisMachine, type Sender } from './this-machine.ts'

/**
 * Lets a program of this machine pass that can read the data folder of the service: POST /dev/approve takes
 * the place of a human. Throws NOT_FOUND where the path is not there and for callers of other machines,
 * FORBIDDEN for a page in a browser, and AUTH_REQUIRED for a wrong secret.
 */
export function requireDeveloper(
  sender: Sender,
  secret: string,
  { devApproveSecret, baseUrl }: { devApproveSecret: string | null; baseUrl: string },
): void {
  if (devApproveSecret === null || !isOfThisMachine(sender)) {
    throw new ApiError('NOT_FOUND', 'There is nothing at this path. GET /openapi.json lists all paths.')
  }
  if (sender.headers.origin !== undefined) {
    throw new ApiError('FORBIDDEN', 'A page of a browser cannot approve. Send the request from a program.')
  }
  if (!isSame(secret, devApproveSecret)) throw authRequired(baseUrl, 'unknown')
}
