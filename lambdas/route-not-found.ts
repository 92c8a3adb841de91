import { ApiError } from '#core/errors'
import { type Route, routes } from '#schemas/routes'

const rows = Object.values<Route>(routes).map(({ method, path }) => ({ method, segments: path.split('/') }))

/** The error for a request that no row takes: NOT_FOUND, or METHOD_NOT_ALLOWED with the methods that the path has. */
export function routeNotFound(method: string, url: string): ApiError {
  const segments = (url.split('?', 1)[0] ?? '').split('/').map(decoded)
  const methods: string[] = rows.filter(row => matches(row.segments, segments)).map(row => row.method)
  if (methods.length === 0) return new ApiError('NOT_FOUND', 'there is nothing at this path')
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return new ApiError('METHOD_NOT_ALLOWED', `this path takes ${allowed}, not ${method}`, {
    headers: { Allow: allowed },
  })
}

/** `{id}` in a row stands for any one segment that is not empty. */
function matches(row: readonly string[], segments: readonly string[]): boolean {
  return (
    row.length === segments.length &&
    row.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
  )
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
