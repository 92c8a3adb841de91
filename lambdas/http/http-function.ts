import type { Log } from '#core/ports'
import type { Endpoint } from '#lambdas/chain/chain'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import type { HttpFunction } from './http.ts'
import { errorResponse } from './response.ts'

/** The rows of the routes table that one deployed function answers. */
type NamesOf<F extends Route['function']> = {
  [Name in RouteName]: (typeof routes)[Name]['function'] extends F ? Name : never
}[RouteName]

/** One endpoint for each row of the function; a missing or an extra one is a type error. */
export type Endpoints<F extends Route['function']> = Record<NamesOf<F>, Endpoint>

/** Joins the endpoints of the function F: `httpFunction<'reports'>(log, { stats, events })`. Never throws. */
export function httpFunction<F extends Route['function']>(log: Log, endpoints: Endpoints<F>): HttpFunction {
  const byRoute = new Map<Route, Endpoint>()
  for (const name of Object.keys(endpoints) as NamesOf<F>[]) byRoute.set(routes[name], endpoints[name])
  return async function answerRequest(route, request) {
    const endpoint = byRoute.get(route)
    if (endpoint !== undefined) return endpoint(request)
    const error = new Error('the route belongs to another function')
    return errorResponse(error, `${route.method} ${route.path}`, log)
  }
}
