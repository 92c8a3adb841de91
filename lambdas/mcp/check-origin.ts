import { ApiError } from '#core/errors'
import type { Exchange } from '#lambdas/chain/chain'
import { isLoopbackCallback } from '#schemas/loopback'

/**
 * Refuses pages of other origins, as the protocol demands: the page of an attacker whose name resolves to
 * this machine still has the attacker's origin. Clients without a page send none. Pages on this machine, such
 * as the inspector, may call. Throws FORBIDDEN.
 */
export function checkOrigin(baseUrl: string) {
  const own = new URL(baseUrl).origin
  return function checkOrigin({ request: { headers } }: Pick<Exchange, 'request'>): void {
    const { origin } = headers
    if (origin === undefined || origin === own || isLoopbackCallback(origin)) return
    throw new ApiError(
      'FORBIDDEN',
      'A page of another origin may not call this address. Call it from a client that sends no header Origin.',
    )
  }
}
