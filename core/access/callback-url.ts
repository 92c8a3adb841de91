import type { AuthRequest } from './types.ts'

/** The callback of a client whose request was denied; null without a callback. */
export function deniedRedirect(request: AuthRequest): string | null {
  return redirectTo(request, { request_id: request.id, error: 'access_denied' })
}

/** The callback with further parameters behind those that it has; null without a callback. */
export function redirectTo({ callback_url }: AuthRequest, parameters: Record<string, string>): string | null {
  if (callback_url === null) return null
  const url = new URL(callback_url)
  const added = new URLSearchParams(parameters).toString()
  url.search = url.search === '' ? added : `${url.search}&${added}`
  return url.href
}
