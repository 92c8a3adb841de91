import { ApiError } from '#core/errors'
import type { Route } from '#schemas/routes'

const NO_QUERY: Record<string, string> = Object.freeze(Object.create(null))

/** The query of a request to the row. What nobody reads is not looked at: a script may be asked for with any text. */
export function parseQuery(route: Route, text: string): Record<string, string> {
  return text === '' || (route.auth === 'none' && route.query === undefined) ? NO_QUERY : queryString(text)
}

/**
 * The parameters of a query string (without its `?`), percent-decoded, a plus sign being a blank. Of a name that comes
 * twice the last counts. Throws MISSING_FIELDS, a 400, on bad percent-encoding: input is never repaired silently.
 */
export function queryString(text: string): Record<string, string> {
  // Without a prototype, so that no parameter can be named like something that every object has.
  const query: Record<string, string> = Object.create(null)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    query[name] = equals === -1 ? '' : decode(pair.slice(equals + 1))
  }
  return query
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw new ApiError('MISSING_FIELDS', 'the query string has bad percent-encoding')
  }
}
