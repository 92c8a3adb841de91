import { isSame } from '#core/access/tokens'
import { ApiError } from '#core/errors'
import { authRequired } from '#lambdas/chain/authenticate'
import type { HttpRequest } from '#lambdas/http'

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

type Caller = Pick<HttpRequest, 'headers' | 'ip'>

/**
 * POST /dev/approve is there where its setting is on, for this machine. Throws NOT_FOUND elsewhere. Check it
 * before the fields of the request.
 */
export function requireDevApprove({ headers, ip }: Caller, devApproveSecret: string | null): void {
  // A proxy on this machine forwards requests of others.
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  if (devApproveSecret === null || isForwarded || !LOOPBACK.test(ip ?? '')) {
    throw new ApiError('NOT_FOUND', 'There is nothing at this path. GET /openapi.json lists all paths.')
  }
}

/**
 * Lets a program pass that can read the data folder of the service: POST /dev/approve takes the place of a
 * human. Throws FORBIDDEN for a page in a browser, and AUTH_REQUIRED for a wrong secret.
 */
export function requireDeveloper(
  { headers }: Pick<Caller, 'headers'>,
  secret: string,
  { devApproveSecret, baseUrl }: { devApproveSecret: string | null; baseUrl: string },
): void {
  if (headers.origin !== undefined) {
    throw new ApiError('FORBIDDEN', 'A page of a browser cannot approve. Send the request from a program.')
  }
  if (devApproveSecret === null || !isSame(secret, devApproveSecret)) throw authRequired(baseUrl, 'unknown')
}
