import { ApiError } from '#core/errors'
import { nearestName } from '#core/text/nearest-name'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

const rows = Object.values<Route>(routes).map(({ method, path }) => ({ method, segments: path.split('/') }))

/** The paths without parameters: others are too unlike what a caller writes. */
const PATHS = [...new Set(Object.values<Route>(routes).map(({ path }) => path))].filter(
  path => !path.includes('{'),
)

/** The error for a request without a row: NOT_FOUND, or METHOD_NOT_ALLOWED with the methods of the path. */
export function routeNotFound(method: string, url: string): ApiError {
  const segments = (url.split('?', 1)[0] ?? '').split('/').map(decode)
  const methods: string[] = rows.filter(row => matches(row.segments, segments)).map(row => row.method)
  if (methods.length === 0) return pathNotFound(segments)
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return new ApiError('METHOD_NOT_ALLOWED', `This path does not accept ${method}. Use one of ${allowed}.`, {
    headers: { Allow: allowed },
  })
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
