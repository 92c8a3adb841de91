import type { SessionCaller } from '#core/access/agent-sessions'
import type { Caller } from '#core/access/caller'
import type { Shared } from '#core/access/share-links'
import type { BrowserSession } from '#core/access/types'
import { type Account, apiKeyId } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import { sessionCookie } from '#lambdas/http/cookies'
import type { HttpRequest } from '#lambdas/http/http'
import type { Exchange } from './chain.ts'

export type CredentialServices = {
  accounts: {
    /** The account of an API key, or null when the key is unknown or revoked. */
    byApiKey(key: string): Promise<Account | null>
  }
  agentSessions: {
    /** The session of an access token, or null when it is unknown, expired or revoked. */
    byAccessToken(token: string): Promise<SessionCaller | null>
  }
  shareLinks: {
    /** What the token of a share link shows, or null when it is unknown, expired or deleted. */
    byToken(token: string): Promise<Shared | null>
  }
  browserSessions: {
    /** The session of a cookie, or null when it is unknown, expired or ended. */
    byToken(token: string): Promise<BrowserSession | null>
  }
  /** Address of the service, without a slash at its end. */
  baseUrl: string
}

/**
 * Reads one kind of credential. undefined: the request carries none of this kind. null: it carries one that
 * is unknown, expired or revoked.
 */
type CredentialReader = (
  request: HttpRequest,
  services: CredentialServices,
) => undefined | Promise<Caller | null>

/** In the order of R5. */
const READERS: readonly CredentialReader[] = [readShareLink, readAgentSession, readApiKey, readCookie]

/**
 * Names the caller by the first credential that the request carries. A bad credential is refused, even if a
 * good one of another kind stands behind it. Throws AUTH_REQUIRED with WWW-Authenticate (R6).
 */
export function authenticate(services: CredentialServices) {
  return async function authenticate({
    route,
    request,
  }: Pick<Exchange, 'route' | 'request'>): Promise<{ caller: Caller }> {
    for (const read of READERS) {
      const credential = read(request, services)
      if (credential === undefined) continue
      const caller = await credential
      if (caller === null) throw authRequired(services.baseUrl, 'unknown', route.resource)
      return { caller }
    }
    throw authRequired(services.baseUrl, 'missing', route.resource)
  }
}

/**
 * Optional authentication by an agent session or an API key. Without a credential it is undefined at once,
 * because browsers send none and must not wait. Else it is the caller of the first credential that is valid,
 * or null if none is.
 */
export function findCaller(services: Pick<CredentialServices, 'accounts' | 'agentSessions'>) {
  return function findCaller(request: HttpRequest): undefined | Promise<Caller | null> {
    const session = readAgentSession(request, services)
    const key = readApiKey(request, services)
    if (session === undefined || key === undefined) return session ?? key
    return Promise.all([session, key]).then(callers => callers.find(caller => caller !== null) ?? null)
  }
}

/**
 * The token of `Authorization: Bearer`; undefined without one. Other schemes may belong to a proxy before us.
 */
export function bearerToken({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  return /^bearer(?: (.*))?$/i.exec(headers.authorization ?? '')?.[1]?.trim()
}

/** A share link has the place of an agent session. Optional authentication does not know it. */
function readShareLink(request: HttpRequest, { shareLinks }: CredentialServices) {
  const token = bearerToken(request)
  return token?.startsWith('aal_') ? callerOfLink(token, shareLinks) : undefined
}

async function callerOfLink(
  token: string,
  shareLinks: CredentialServices['shareLinks'],
): Promise<Caller | null> {
  const shared = await shareLinks.byToken(token)
  if (shared === null) return null
  const { account, link, project } = shared
  const credential = { kind: 'share_link', id: link.id, label: link.label } as const
  return { account, tier: account.tier, credential, scopes: ['analytics:read'], shared: { link, project } }
}

function readAgentSession(
  request: HttpRequest,
  { agentSessions }: Pick<CredentialServices, 'agentSessions'>,
): undefined | Promise<Caller | null> {
  if (!/^bearer(?: |$)/i.test(request.headers.authorization ?? '')) return undefined
  return callerOfToken(bearerToken(request) ?? '', agentSessions)
}

async function callerOfToken(
  token: string,
  agentSessions: CredentialServices['agentSessions'],
): Promise<Caller | null> {
  const session = await agentSessions.byAccessToken(token)
  if (session === null) return null
  const { account, scopes, session_id: id, is_demo, label } = session
  const kind = is_demo ? 'demo' : 'agent_session'
  return { account, tier: account.tier, credential: { kind, id, label }, scopes }
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
  const credential = { kind: 'api_key', id: apiKeyId(key), label: null } as const
  return { account, tier: account.tier, credential, scopes: 'all' }
}

function readCookie(
  request: HttpRequest,
  { browserSessions, baseUrl }: CredentialServices,
): undefined | Promise<Caller | null> {
  const token = sessionCookie(baseUrl).read(request)
  return token === undefined ? undefined : callerOfCookie(token, request, browserSessions, baseUrl)
}

/** A page of another origin must not act with the cookie (R17), so changes need the header Origin. */
async function callerOfCookie(
  token: string,
  { method, headers }: HttpRequest,
  browserSessions: CredentialServices['browserSessions'],
  baseUrl: string,
): Promise<Caller | null> {
  const session = await browserSessions.byToken(token)
  if (session === null) return null
  if (method !== 'GET' && headers.origin !== new URL(baseUrl).origin) {
    throw new ApiError('FORBIDDEN', 'A request with the cookie must come from a page of this service.')
  }
  const { account, id } = session
  return { account, tier: account.tier, credential: { kind: 'cookie', id, label: null }, scopes: 'all' }
}

/**
 * What a 401 of R6 carries, which tells an agent where to read how it gets access: the header
 * WWW-Authenticate, and the same address as a field of the body. API Gateway renames the header to
 * x-amzn-remapped-www-authenticate, so on AWS an agent may find the field only. `resource`: the path of a
 * protected resource below the service.
 */
export function challenge(baseUrl: string, resource = '') {
  const resource_metadata = `${baseUrl}/.well-known/oauth-protected-resource${resource}`
  return {
    headers: { 'WWW-Authenticate': `Bearer resource_metadata="${resource_metadata}"` },
    fields: { resource_metadata },
  }
}

/** The error of R6. */
export function authRequired(baseUrl: string, problem: 'missing' | 'unknown', resource = ''): ApiError {
  const { headers, fields } = challenge(baseUrl, resource)
  return problem === 'missing'
    ? new ApiError(
        'AUTH_REQUIRED',
        `The request has no credential. Send an agent session as \`Authorization: Bearer\` or an API key in the header \`X-API-Key\`; ${baseUrl}/auth.md says how to get one.`,
        { headers, fields },
      )
    : new ApiError(
        'AUTH_REQUIRED',
        `The credential is unknown, expired or revoked. Send a valid one; ${baseUrl}/auth.md says how to get one.`,
        {
          headers: { 'WWW-Authenticate': `${headers['WWW-Authenticate']}, error="invalid_token"` },
          fields,
        },
      )
}
