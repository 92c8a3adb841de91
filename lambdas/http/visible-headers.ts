import type { Route } from '#schemas/route'

type Headers = Record<string, string | undefined>

/** The headers of a request that the function of a row may see. Most rows never see a cookie. */
export function visibleHeaders(route: Route, headers: Headers): Headers {
  if (headers.cookie === undefined || seesCookies(route)) return headers
  const { cookie: _, ...others } = headers
  return others
}

/** Pages, and the rows that an account may call by the cookie of a signed-in browser. */
function seesCookies({ auth, cookies, credentials }: Route): boolean {
  return cookies === true || (auth === 'account' && (credentials?.includes('cookie') ?? true))
}
