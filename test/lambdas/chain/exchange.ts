import type { Exchange } from '#lambdas/chain/chain'
import type { HttpRequest } from '#lambdas/http/http'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

/** An exchange as the first step of a chain gets it. */
export function exchangeOf(request: Partial<HttpRequest> = {}, route: Route = routes.stats): Exchange {
  return {
    route,
    request: {
      method: 'GET',
      path: '/',
      params: {},
      query: {},
      headers: {},
      body: new Uint8Array(),
      ip: null,
      ...request,
    },
    signal: request.signal,
    headers: {},
    hooks: [],
    writes: [],
  }
}
