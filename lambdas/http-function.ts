import type { Log } from '#core/ports'
import { type Route, type RouteName, routes } from '#schemas/routes'
import type { HttpFunction, HttpRequest, HttpResponse } from './http.ts'
import { errorResponse } from './response.ts'

/** The rows of the routes table that one deployed function answers. */
type NamesOf<F extends Route['function']> = {
  [Name in RouteName]: (typeof routes)[Name]['function'] extends F ? Name : never
}[RouteName]

/** An endpoint a row of the function: a row without one, and one without a row, is a type error. */
export type Endpoints<F extends Route['function']> = Record<
  NamesOf<F>,
  (request: HttpRequest) => HttpResponse | Promise<HttpResponse>
>

/**
 * Makes the endpoints of the function F one function, which answers every error by schemas/errors.ts and never throws:
 * `httpFunction<'reports'>(log, { stats, events })`.
 */
export function httpFunction<F extends Route['function']>(log: Log, endpoints: Endpoints<F>): HttpFunction {
  const byRoute = new Map<Route, (request: HttpRequest) => HttpResponse | Promise<HttpResponse>>()
  for (const name of Object.keys(endpoints) as NamesOf<F>[]) byRoute.set(routes[name], endpoints[name])
  return async (route, request) => {
    try {
      const endpoint = byRoute.get(route)
      if (endpoint === undefined) throw new Error('the row belongs to another function')
      return await endpoint(request)
    } catch (error) {
      // Work that ended because its caller has gone is no defect; nobody is there to read the answer.
      const isGone = request.signal?.aborted === true && error === request.signal.reason
      return errorResponse(error, `${route.method} ${route.path}`, isGone ? () => {} : log)
    }
  }
}
