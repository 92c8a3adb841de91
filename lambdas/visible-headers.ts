import type { Route } from '#schemas/routes'

type Headers = Record<string, string | undefined>

/** The headers of a request that the function of a row may see. Only rows with `cookies` see the cookies. */
export function visibleHeaders(route: Route, headers: Headers): Headers {
  if (route.cookies === true || headers.cookie === undefined) return headers
  const { cookie: _, ...others } = headers
  return others
}
