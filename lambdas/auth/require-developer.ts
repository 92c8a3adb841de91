import { ApiError } from '#core/errors'
import { isSame } from '#core/secrets/tokens'
import { authRequired } from '#lambdas/chain/authenticate'
import { isOfThisMachine, type Sender } from './this-machine.ts'

/**
 * POST /dev/approve is there where its setting is on, for this machine. Throws NOT_FOUND elsewhere. Check it
 * before the fields of the request.
 */
export function requireDevApprove(sender: Sender, devApproveSecret: string | null): void {
  if (devApproveSecret === null || !isOfThisMachine(sender)) {
    throw new ApiError('NOT_FOUND', 'There is nothing at this path. GET /openapi.json lists all paths.')
  }
}

/**
 * Lets a program pass that can read the data folder of the service: POST /dev/approve takes the place of a
 * human. Throws FORBIDDEN for a page in a browser, and AUTH_REQUIRED for a wrong secret.
 */
export function requireDeveloper(
  { headers }: Pick<Sender, 'headers'>,
  secret: string,
  { devApproveSecret, baseUrl }: { devApproveSecret: string | null; baseUrl: string },
): void {
  if (headers.origin !== undefined) {
    throw new ApiError('FORBIDDEN', 'A page of a browser cannot approve. Send the request from a program.')
  }
  if (devApproveSecret === null || !isSame(secret, devApproveSecret)) throw authRequired(baseUrl, 'unknown')
}
