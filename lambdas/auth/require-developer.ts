import { isSame } from '#core/access/tokens'
import { ApiError } from '#core/errors'
import { authRequired } from '#lambdas/chain/authenticate'
import type { HttpRequest } from '#lambdas/http'

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/**
 * Lets a program of this machine pass that can read the data folder of the service: POST /dev/approve takes
 * the place of a human. Throws NOT_FOUND where the path is not there and for callers of other machines,
 * FORBIDDEN for a page in a browser, and AUTH_REQUIRED for a wrong secret.
 */
export function requireDeveloper(
  { headers, ip }: Pick<HttpRequest, 'headers' | 'ip'>,
  secret: string,
  { devApproveSecret, baseUrl }: { devApproveSecret: string | null; baseUrl: string },
): void {
  // A proxy on this machine forwards requests of others.
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  if (devApproveSecret === null || isForwarded || !LOOPBACK.test(ip ?? '')) {
    throw new ApiError('NOT_FOUND', 'There is nothing at this path. GET /openapi.json lists all paths.')
  }
  if (headers.origin !== undefined) {
    throw new ApiError('FORBIDDEN', 'A page of a browser cannot approve. Send the request from a program.')
  }
  if (!isSame(secret, devApproveSecret)) throw authRequired(baseUrl, 'unknown')
}
