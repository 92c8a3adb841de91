import { ApiError } from '#core/errors'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

const streamedRoutes = Object.values<Route>(routes).filter(route => route.function === 'stream')

/** The row of a request that is answered by a stream. */
export function streamedRoute(method: string, path: string): Route | undefined {
  const readMethod = method === 'HEAD' ? 'GET' : method
  return streamedRoutes.find(row => row.method === readMethod && row.path === path)
}

/** An HTTP API cannot stream, so a streamed row that it gets has no function URL here (`streams=false`). */
export function streamsOff(): ApiError {
  return new ApiError('STREAMS_OFF')
}
