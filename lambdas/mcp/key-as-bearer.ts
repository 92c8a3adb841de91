import { bearerToken } from '#lambdas/chain/authenticate'
import type { Exchange } from '#lambdas/chain/chain'
import type { HttpRequest } from '#lambdas/http/http'

const API_KEY = /^aak_/

/**
 * Takes an API key as Bearer token too: clients of the protocol have one field for a credential, which they
 * send so.
 */
export function keyAsBearer({ request }: Pick<Exchange, 'request'>): { request: HttpRequest } {
  const token = bearerToken(request) ?? ''
  if (!API_KEY.test(token)) return { request }
  const { authorization: _, ...headers } = request.headers
  return { request: { ...request, headers: { ...headers, 'x-api-key': token } } }
}
