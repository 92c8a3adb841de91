import { ApiError } from '#core/errors'
import type { HttpRequest } from './http.ts'

/**
 * Requests that the page of somebody else makes the browser of a visitor send. They come from the address of
 * the visitor, so they must not spend what that network may do. Every browser of today names what a request
 * is for in the headers `Sec-Fetch-…`, which no page can change; programs send none of them.
 */

/**
 * Lets a page that counts toward a limit be opened, and nothing else: an image, a frame or a prefetch of it
 * is sent without the human. Call it before the count. Throws FORBIDDEN.
 */
export function requireNavigation({ headers }: Pick<HttpRequest, 'headers'>): void {
  const { 'sec-fetch-dest': destination = 'document', 'sec-purpose': purpose } = headers
  if (destination === 'document' && purpose === undefined) return
  throw new ApiError(
    'FORBIDDEN',
    'This page opens in a window of its own only. Open its address in a browser.',
  )
}

/** Whether the page of another site has sent the request. */
export function isOfOtherSite({ headers }: Pick<HttpRequest, 'headers'>, baseUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined && origin !== new URL(baseUrl).origin) return true
  return site === 'cross-site' || site === 'same-site'
}
