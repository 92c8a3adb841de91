import type { z } from 'zod'
import { requireResource } from '#core/access/authorization-request'
import { codeIdOf } from '#core/access/exchanges'
import type { IssuedSession } from '#core/access/token-pairs'
import { ApiError } from '#core/errors'
import { locateSession, type SessionLocator } from '#core/secrets/tokens'
import type { completeClaim } from '#schemas/agent-sessions'
import type { ErrorCode } from '#schemas/errors'
import { CODE_GRANT, REFRESH_GRANT } from '#schemas/oauth'
import { routes } from '#schemas/routes'
import { bySession, type Issue } from './issue.ts'
import type { AuthServices } from './services.ts'

type Fields = z.output<typeof completeClaim>
type Grant = (ip: string | null, fields: Fields) => Promise<IssuedSession>

/** What is invalid_grant to an OAuth client (RFC 6749, 5.2). */
const INVALID_GRANTS: readonly ErrorCode[] = [
  'INVALID_EXCHANGE_CODE',
  'INVALID_CODE_VERIFIER',
  'INVALID_REFRESH_TOKEN',
  'AUTH_REQUEST_EXPIRED',
  'AUTH_REQUEST_ALREADY_EXCHANGED',
]

/**
 * The grants of MCP clients at the token endpoint (docs/api/mcp-sign-in.md). Undefined for a request that is
 * none of them.
 */
export function createGrants(services: AuthServices, issue: Issue) {
  const { authRequests, agentSessions, guards, audit, clientRegistry, baseUrl, clock } = services
  const route = routes.completeClaim

  async function revokeReused(at: SessionLocator): Promise<void> {
    await agentSessions.revoke(at.account_id, at.session_id)
    await audit.record(bySession({ ...at, label: null }, { action: 'reuseAlarm', route, status: 400 }))
  }

  const grants: Record<typeof CODE_GRANT | typeof REFRESH_GRANT, Grant> = {
    async [CODE_GRANT](ip, fields) {
      const { code_verifier, resource } = fields
      const code = required(fields, 'code')
      const redirect_uri = required(fields, 'redirect_uri')
      const client_id = required(fields, 'client_id')
      const sent = { code, redirect_uri, client_id, code_verifier, resource }
      const won = await guards.guardSecret(ip, codeIdOf(code), () =>
        authRequests.redeemCode(sent, revokeReused),
      )
      const { session } = await issue(won, route)
      if (await authRequests.isReused(won.request.id)) {
        await revokeReused({ account_id: won.account_id, session_id: won.session_id })
        throw new ApiError('invalid_grant', 'Somebody else has used the code. Start again.')
      }
      await clientRegistry.keep(client_id)
      return session
    },

    async [REFRESH_GRANT](ip, fields) {
      const token = required(fields, 'refresh_token')
      const session_id = locateSession(token, 'aar')?.session_id ?? 'unknown'
      const { session, account } = await guards.guardSecret(ip, session_id, () =>
        agentSessions.refresh(token, revokeReused, fields.client_id),
      )
      const at = { account_id: account.id, session_id: session.id, label: null }
      await audit.record(bySession(at, { action: 'refreshSession', route, status: 200 }))
      return session
    },
  }

  return async function exchangeGrant(ip: string | null, fields: Fields) {
    const grant = grants[fields.grant_type as keyof typeof grants]
    if (grant === undefined || fields.claim_token !== undefined) return undefined
    requireResource(fields.resource, baseUrl)
    const session = await grant(ip, fields).catch(error => {
      if (!(error instanceof ApiError) || !INVALID_GRANTS.includes(error.code)) throw error
      throw new ApiError('invalid_grant', error.message)
    })
    return {
      access_token: session.access_token,
      token_type: 'Bearer' as const,
      expires_in: Math.max(0, Math.floor((session.access_expires_at - clock.now()) / 1_000)),
      refresh_token: session.refresh_token,
      scope: session.scopes.join(' '),
    }
  }
}

function required(fields: Fields, name: 'code' | 'redirect_uri' | 'client_id' | 'refresh_token'): string {
  const value = fields[name]
  if (value === undefined) throw new ApiError('invalid_request', `Field \`${name}\` is missing. Add it.`)
  return value
}
