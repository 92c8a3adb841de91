import { ApiError } from '#core/errors'
import type { Route } from '#schemas/route'

const NO_QUERY: Record<string, string> = Object.freeze(Object.create(null))

/**
 * The query parameters of a request. A route that reads none accepts any text: a script may have `?v=100%`.
 */
export function parseQuery(route: Route, text: string): Record<string, string> {
  return text === '' || (route.auth === 'none' && route.query === undefined)
    ? NO_QUERY
    : queryString(text, route.lists)
}

/**
 * Reads a query string without its `?`: decodes percent-encoding, and a plus sign as a space. Of a repeated
 * name the last value counts, or all of them, each in a line, if it is one of `lists`. Throws MISSING_FIELDS
 * for bad percent-encoding, because input is never repaired silently.
 */
export function queryString(text: string, lists: readonly string[] = []): Record<string, string> {
  // No prototype, so that a parameter may have any name, `constructor` too.
  const query: Record<string, string> = Object.create(null)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
    const earlier = lists.includes(name) ? query[name] : undefined
    query[name] = earlier === undefined ? value : `${earlier}\n${value}`
  }
  return query
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw new ApiError(
      'MISSING_FIELDS',
      'The query string has bad percent-encoding. Write a percent sign as `%25`.',
    )
  }
}
