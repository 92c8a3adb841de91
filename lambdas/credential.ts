import type { Account, Caller } from '#core/accounts/caller'
import { ApiError } from '#core/errors'
import type { Scope } from '#schemas/routes'
import type { HttpRequest } from './http.ts'

export type CredentialServices = {
  accounts: {
    /** The account of an API key, or null when there is none or the key was revoked. */
    byApiKey(key: string): Promise<Account | null>
  }
  /** Address of the service, without a slash at its end. */
  baseUrl: string
}

/**
 * Who calls, by the first credential that the request carries in the order of contract R5: `Authorization: Bearer`,
 * `X-API-Key`, `?key=`, the dashboard's cookie. It decides alone: a bad one is not made up for by a good one behind it.
 * Throws AUTH_REQUIRED with WWW-Authenticate (R6) when it is missing, unknown or revoked.
 */
export async function callerOf(request: HttpRequest, services: CredentialServices): Promise<Caller> {
  // Agent sessions (aas_…) join here: until there are any, every Bearer token is an unknown one.
  if (bearerToken(request) !== null) throw authRequired(services.baseUrl, 'unknown')
  const key = apiKey(request)
  // The dashboard's cookie joins here, as the last.
  if (key === undefined) throw authRequired(services.baseUrl, 'missing')
  const account = await services.accounts.byApiKey(key)
  if (account === null) throw authRequired(services.baseUrl, 'unknown')
  return { account, credential: 'api_key', scopes: 'all' }
}

/** The account of the API key that a request carries, for whom a good one is a favour: null without one or a bad one. */
export function accountOfKey({ accounts }: Pick<CredentialServices, 'accounts'>) {
  return async (request: HttpRequest): Promise<string | null> => {
    const key = apiKey(request)
    return key === undefined ? null : ((await accounts.byApiKey(key))?.id ?? null)
  }
}

function apiKey({ headers, query }: HttpRequest): string | undefined {
  return headers['x-api-key'] ?? query.key
}

/** Throws FORBIDDEN when the caller lacks the scope; a write scope implies its read scope (contract R7). */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes === 'all') return
  const held: readonly string[] = caller.scopes
  if (held.includes(scope)) return
  if (scope.endsWith(':read') && held.includes(scope.replace(':read', ':write'))) return
  throw new ApiError('FORBIDDEN', `this needs the scope ${scope}`, { fields: { required_scope: scope } })
}

/** The token of `Authorization: Bearer …`; null for other schemes, which a proxy in front of us may use. */
function bearerToken(request: HttpRequest): string | null {
  const match = /^bearer(?: +(.*))?$/i.exec(request.headers.authorization ?? '')
  return match && (match[1] ?? '')
}

function authRequired(baseUrl: string, problem: 'missing' | 'unknown'): ApiError {
  const metadata = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
  return problem === 'missing'
    ? new ApiError('AUTH_REQUIRED', 'send a credential: an API key in the header X-API-Key', {
        headers: { 'WWW-Authenticate': metadata },
      })
    : new ApiError('AUTH_REQUIRED', 'the credential is unknown, expired or revoked', {
        headers: { 'WWW-Authenticate': `${metadata}, error="invalid_token"` },
      })
}
