import { type Account, apiKeyId, type Caller } from '#core/accounts/caller'
import { ApiError } from '#core/errors'
import type { HttpRequest } from '../http.ts'
import type { Exchange } from './chain.ts'

export type CredentialServices = {
  accounts: {
    /** The account of an API key, or null when the key is unknown or revoked. */
    byApiKey(key: string): Promise<Account | null>
  }
  /** Address of the service, without a slash at its end. */
  baseUrl: string
}

/**
 * Reads one kind of credential. undefined: the request carries none of this kind. null: it carries one that is unknown,
 * expired or revoked.
 */
type CredentialReader = (
  request: HttpRequest,
  services: Pick<CredentialServices, 'accounts'>,
) => undefined | Promise<Caller | null>

/** In the order of contract R5: Bearer token, API key. */
const READERS: readonly CredentialReader[] = [readAgentSession, readApiKey]

/**
 * Names the caller by the first credential that the request carries. A bad credential is refused, even if a good one of
 * another kind stands behind it. Throws AUTH_REQUIRED with WWW-Authenticate (contract R6).
 */
export function authenticate(services: CredentialServices) {
  return async ({ request }: Exchange): Promise<{ caller: Caller }> => {
    for (const read of READERS) {
      const credential = read(request, services)
      if (credential === undefined) continue
      const caller = await credential
      if (caller === null) throw authRequired(services.baseUrl, 'unknown')
      return { caller }
    }
    throw authRequired(services.baseUrl, 'missing')
  }
}

/** Optional authentication: the caller of the first good credential, or null. Bad credentials are ignored. */
export function findCaller(services: Pick<CredentialServices, 'accounts'>) {
  return async (request: HttpRequest): Promise<Caller | null> => {
    for (const read of READERS) {
      const caller = await read(request, services)
      if (caller) return caller
    }
    return null
  }
}

/** There are no agent sessions yet, so every Bearer token is unknown. Other schemes may belong to a proxy before us. */
function readAgentSession({ headers }: HttpRequest): undefined | Promise<null> {
  return /^bearer(?: |$)/i.test(headers.authorization ?? '') ? Promise.resolve(null) : undefined
}

function readApiKey(
  { headers, query }: HttpRequest,
  { accounts }: Pick<CredentialServices, 'accounts'>,
): undefined | Promise<Caller | null> {
  const key = headers['x-api-key'] ?? query.key
  return key === undefined ? undefined : callerOfApiKey(key, accounts)
}

async function callerOfApiKey(key: string, accounts: CredentialServices['accounts']): Promise<Caller | null> {
  const account = await accounts.byApiKey(key)
  if (account === null) return null
  return { account, tier: account.tier, credential: { kind: 'api_key', id: apiKeyId(key) }, scopes: 'all' }
}

function authRequired(baseUrl: string, problem: 'missing' | 'unknown'): ApiError {
  const metadata = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
  return problem === 'missing'
    ? new ApiError(
        'AUTH_REQUIRED',
        'The request has no credential. Send an API key in the header `X-API-Key`.',
        {
          headers: { 'WWW-Authenticate': metadata },
        },
      )
    : new ApiError('AUTH_REQUIRED', 'The credential is unknown, expired or revoked. Send a valid one.', {
        headers: { 'WWW-Authenticate': `${metadata}, error="invalid_token"` },
      })
}
