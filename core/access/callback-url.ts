import type { AuthRequest } from './types.ts'

/** The callback of a client whose request was approved; null without a callback. */
export function approvedRedirect(request: AuthRequest, code: string): string | null {
  return request.oauth === null
    ? redirectTo(request.callback_url, { request_id: request.id, exchange_code: code })
    : oauthRedirect(request.callback_url, request.oauth, { code })
}

/** The callback of a client whose request was denied; null without a callback. */
export function deniedRedirect(request: AuthRequest): string | null {
  return request.oauth === null
    ? redirectTo(request.callback_url, { request_id: request.id, error: 'access_denied' })
    : oauthRedirect(request.callback_url, request.oauth, { error: 'access_denied' })
}

/**
 * The callback with an authorization response (RFC 6749, 4.1.2), the `state` of the request and the `iss` of
 * RFC 9207.
 */
export function oauthRedirect<Address extends string | null>(
  callbackUrl: Address,
  { state, issuer }: { state?: string | undefined; issuer: string },
  response: Record<string, string>,
): Address {
  return redirectTo(callbackUrl, { ...response, ...(state !== undefined && { state }), iss: issuer })
}

/** The callback with further parameters behind those that it has. */
function redirectTo<Address extends string | null>(
  callbackUrl: Address,
  parameters: Record<string, string>,
): Address {
  if (callbackUrl === null) return callbackUrl
  const url = new URL(callbackUrl)
  const added = new URLSearchParams(parameters).toString()
  url.search = url.search === '' ? added : `${url.search}&${added}`
  return url.href as Address
}
