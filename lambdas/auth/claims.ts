import { authRequestErrors } from '#core/access/auth-request-errors'
import { claimIdOf } from '#core/access/exchanges'
import type { AuthRequest } from '#core/access/types'
import { sessionAccountOf } from '#core/accounts/account-record'
import { ApiError } from '#core/errors'
import { authRequired, bearerToken } from '#lambdas/chain/authenticate'
import type { publicChain } from '#lambdas/chain/public-chain'
import { isOfOtherSite } from '#lambdas/http/third-party'
import { GRANTS } from '#schemas/oauth'
import { routes } from '#schemas/routes'
import { createGrants } from './grants.ts'
import { authorizeUrl, bySession, type Issue } from './issue.ts'
import { originOf } from './origin-of.ts'
import type { AuthServices } from './services.ts'

/** How often a client should ask, s. */
const INTERVAL = 5

const STATUS = {
  pending: 'pending',
  approved: 'approved',
  exchanged: 'completed',
  revoked: 'denied',
  expired: 'expired',
} as const satisfies Record<AuthRequest['status'], string>

/**
 * The claim family: an agent registers, a human approves, the agent completes the claim
 * (docs/api/discovery.md).
 */
export function claimEndpoints(services: AuthServices, open: ReturnType<typeof publicChain>, issue: Issue) {
  const { authRequests, agentSessions, guards, audit, clock, clientRegistry, baseUrl } = services
  const grant = createGrants(services, issue)

  async function claim(token: string) {
    const request = await authRequests.claim(token)
    if (request === null) throw authRequestErrors.unknownClaim()
    const { status, scopes, expires_at } = request
    const claim_url = authorizeUrl(baseUrl, request)
    return { status: STATUS[status], claim_url, scopes, expires_at, interval: INTERVAL }
  }

  return {
    registerAgent: open(routes.registerAgent)(async ({ request: asked, body }) => {
      const { type, claim_method: _, requested_credential_type, requested_scopes, metadata, ...client } = body
      if (type !== 'user_claimed') {
        throw new ApiError(
          'UNSUPPORTED_IDENTITY_TYPE',
          'This service does not support the type. Send `user_claimed`.',
        )
      }
      if (requested_credential_type !== undefined && requested_credential_type !== 'access_token') {
        throw new ApiError(
          'UNSUPPORTED_CREDENTIAL_TYPE',
          'This service does not issue that type of credential. Send `access_token`.',
        )
      }
      await guards.countStart(asked.ip, isOfOtherSite(asked, baseUrl))
      const { request, claim_token } = await authRequests.startClaim({
        ...client,
        ...(await originOf(asked, services)),
        client_type: 'agent',
        scopes: requested_scopes,
        requires_existing_account: metadata?.requires_existing_account === true,
      })
      const claim_url = authorizeUrl(baseUrl, request)
      return {
        status: 201,
        body: {
          ok: true,
          registration_id: request.id,
          claim_url,
          verification_uri: claim_url,
          claim_token,
          user_code: request.approval_code,
          expires_at: request.expires_at,
          expires_in: secondsUntil(request.expires_at, clock.now()),
          interval: INTERVAL,
          scopes: request.scopes,
          status: 'pending',
        },
      }
    }),

    readClaim: open(routes.readClaim)(async ({ request: { ip }, query }) => ({
      status: 200,
      body: await guards.guardSecret(ip, claimIdOf(query.claim_token), () => claim(query.claim_token)),
    })),

    checkClaim: open(routes.checkClaim)(async ({ request: { ip }, body }) => ({
      status: 200,
      body: await guards.guardSecret(ip, claimIdOf(body.claim_token), () => claim(body.claim_token)),
    })),

    registerClient: open(routes.registerClient)(async ({ request: asked, body }) => {
      await guards.countRegistration(asked.ip, isOfOtherSite(asked, baseUrl))
      const { id, name, redirect_uris } = await clientRegistry.register(body)
      return {
        status: 201,
        body: {
          client_id: id,
          client_id_issued_at: Math.floor(clock.now() / 1_000),
          ...(name !== null && { client_name: name }),
          redirect_uris: [...redirect_uris],
          grant_types: [...GRANTS],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        },
      }
    }),

    completeClaim: open(routes.completeClaim)(async ({ request: { ip }, body }) => {
      const granted = await grant(ip, body)
      if (granted !== undefined) return { status: 200, body: granted }
      const token = body.claim_token ?? body.device_code ?? ''
      const won = await guards.guardSecret(ip, claimIdOf(token), () =>
        authRequests.completeClaim(token, body.code_verifier),
      )
      const { session, account } = await issue(won, routes.completeClaim)
      const { access_token, refresh_token, ...agent_session } = session
      const { access_expires_at, scopes } = agent_session
      return {
        status: 200,
        body: {
          ok: true,
          access_token,
          token_type: 'Bearer',
          expires_in: secondsUntil(access_expires_at, clock.now()),
          refresh_token,
          scope: scopes.join(' '),
          agent_session,
          account: sessionAccountOf(account),
        },
      }
    }),

    revokeToken: open(routes.revokeToken)(async ({ request, body }) => {
      const token = body.token ?? bearerToken(request)
      if (token === undefined) throw authRequired(baseUrl, 'missing')
      const revoked = await agentSessions.revokeByToken(token)
      if (revoked === null && body.token === undefined) throw authRequired(baseUrl, 'unknown')
      if (revoked !== null) {
        const event = { action: 'revokeToken', route: routes.revokeToken, status: 200 }
        await audit.record(bySession({ ...revoked, label: null }, event))
      }
      return { status: 200, body: { ok: true } }
    }),
  }
}

function secondsUntil(at: number, now: number): number {
  return Math.max(0, Math.floor((at - now) / 1_000))
}
