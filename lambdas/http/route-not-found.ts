import { ApiError } from '#core/errors'
import { nearestName } from '#core/text/nearest-name'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

const rows = Object.values<Route>(routes).map(({ method, path }) => ({ method, segments: path.split('/') }))

/** The paths without parameters: others are too unlike what a caller writes. */
const PATHS = [...new Set(Object.values<Route>(routes).map(({ path }) => path))].filter(
  path => !path.includes('{'),
)

/** The same of each method. */
const PATHS_OF = new Map(
  [...Map.groupBy(Object.values<Route>(routes), ({ method }) => method as string)].map(([method, group]) => [
    method,
    group.map(({ path }) => path).filter(path => PATHS.includes(path)),
  ]),
)

/** The error for a request without a row: NOT_FOUND, or METHOD_NOT_ALLOWED with the methods of the path. */
export function routeNotFound(method: string, url: string): ApiError {
  const segments = (url.split('?', 1)[0] ?? '').split('/').map(decode)
  const methods = methodsOf(segments)
  if (methods.size === 0) return pathNotFound(segments)
  const allowed = [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  const advice = nearestOf(method, segments)
  const message = `This path does not accept ${method}. Use one of ${allowed}.${advice}`
  return new ApiError('METHOD_NOT_ALLOWED', message, { headers: { Allow: allowed } })
}

/** The methods of the rows that a path has, by its segments. */
export function methodsOf(segments: readonly string[]): Set<string> {
  return new Set(rows.filter(row => matches(row.segments, segments)).map(row => row.method))
}

/**
 * Names the path with this method that may be meant: a longer one, such as POST /events/lookup, or one with a
 * near name.
 */
function nearestOf(method: string, segments: readonly string[]): string {
  const path = segments.join('/')
  const others = PATHS_OF.get(method) ?? []
  const near = others.find(each => each.startsWith(`${path}/`)) ?? nearestName(path, others)
  return near === null || near === undefined ? '' : ` Did you mean ${method} ${near}?`
}

/** Names the path that may be meant. It repeats nothing of the request: only paths of ours. */
function pathNotFound(segments: readonly string[]): ApiError {
  const near = nearestName(segments.join('/'), PATHS)
  const advice = near === null ? '' : ` Did you mean ${near}?`
  return new ApiError('NOT_FOUND', `This path does not exist.${advice} GET /llms.txt lists the paths.`)
}

/** A parameter in the path of a row, such as `{id}`, matches any one segment that is not empty. */
function matches(row: readonly string[], segments: readonly string[]): boolean {
  return (
    row.length === segments.length &&
    row.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
  )
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
