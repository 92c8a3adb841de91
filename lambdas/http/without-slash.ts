import type { BufferedResponse } from './http.ts'
import { methodsOf } from './route-not-found.ts'

/** Where people type addresses and share them: the pages of the dashboard. */
const PAGES = /^\/(app|share)\//

/**
 * For a request without a row: the redirect to the same page without the slash at its end, where there is
 * such a page; else null. `url`: path and query string.
 */
export function withoutSlash(method: string, url: string): BufferedResponse | null {
  const [path = '', ...query] = url.split('?')
  if (!['GET', 'HEAD'].includes(method) || !PAGES.test(path) || !path.endsWith('/')) return null
  const bare = path.slice(0, -1)
  if (!methodsOf(bare.split('/')).has('GET')) return null
  return { status: 308, headers: { Location: [bare, ...query].join('?') }, body: '' }
}
