import { authRequestErrors } from '#core/access/auth-request-errors'
import { type Caller, hasScope } from '#core/access/caller'
import type { AuthRequest } from '#core/access/types'
import { sessionAccountOf } from '#core/accounts/account-record'
import { ApiError } from '#core/errors'
import { locateSession } from '#core/secrets/tokens'
import { accountChain } from '#lambdas/chain/account-chain'
import { publicChain } from '#lambdas/chain/public-chain'
import type { HttpFunction } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import { isOfOtherSite } from '#lambdas/http/third-party'
import { errorCodes } from '#schemas/errors'
import { routes } from '#schemas/routes'
import { claimEndpoints } from './claims.ts'
import { authorizeUrl, bySession, createIssue } from './issue.ts'
import { originOf } from './origin-of.ts'
import { requireDevApprove, requireDeveloper } from './require-developer.ts'
import type { AuthServices } from './services.ts'

/**
 * How an agent gets a session, keeps it and ends it (docs/api/agent-sessions.md and docs/api/discovery.md).
 */
export function authHandler(services: AuthServices): HttpFunction {
  const { accounts, authRequests, agentSessions, demo, guards, identities, audit, baseUrl } = services
  const chain = accountChain(services)
  const open = publicChain({ log: services.log, challengeUrl: baseUrl })
  const openDemo = publicChain({
    log: services.log,
    async requireThere() {
      if ((await demo.project()) === null) throw noDemo()
    },
  })
  const openDev = publicChain({
    log: services.log,
    challengeUrl: baseUrl,
    requireThere: request => requireDevApprove(request, services.devApproveSecret),
  })
  const issue = createIssue(services)

  return httpFunction<'auth'>(services.log, {
    ...claimEndpoints(services, open, issue),

    startSession: open(routes.startSession)(async ({ request: asked, body }) => {
      await guards.countStart(asked.ip, isOfOtherSite(asked, baseUrl))
      const { metadata, ...wanted } = body
      const { request, poll_token } = await authRequests.start({
        ...wanted,
        ...(await originOf(asked, services)),
        // A detached client has no callback, whatever it sends.
        callback_url: wanted.mode === 'interactive' ? wanted.callback_url : undefined,
        requires_existing_account: metadata?.requires_existing_account === true,
      })
      return {
        status: 201,
        body: {
          ok: true,
          auth_request_id: request.id,
          authorize_url: authorizeUrl(baseUrl, request),
          approval_code: request.approval_code,
          poll_token,
          mode: request.mode,
          expires_at: request.expires_at,
          scopes: request.scopes,
        },
      }
    }),

    pollSession: open(routes.pollSession)(async ({ request: { ip }, body }) => {
      const polled = await guards.guardSecret(ip, body.auth_request_id, () =>
        authRequests.poll(body.auth_request_id, body.poll_token),
      )
      const dead = DEAD[polled.status]
      if (dead === undefined) return { status: 200, body: polled }
      return { status: 410, body: { ...polled, error: dead, message: errorCodes[dead].hint } }
    }),

    exchangeSession: open(routes.exchangeSession)(async ({ request: { ip }, body }) => {
      const { auth_request_id, exchange_code, code_verifier } = body
      const won = await guards.guardSecret(ip, auth_request_id, () =>
        authRequests.exchange(auth_request_id, exchange_code, code_verifier),
      )
      const { session, account } = await issue(won, routes.exchangeSession)
      return {
        status: 200,
        body: { ok: true, agent_session: session, account: sessionAccountOf(account) },
      }
    }),

    refreshSession: open(routes.refreshSession)(async ({ request: { ip }, body }) => {
      const session_id = locateSession(body.refresh_token, 'aar')?.session_id ?? UNKNOWN
      const { session, account } = await guards.guardSecret(ip, session_id, () =>
        agentSessions.refresh(body.refresh_token, ({ account_id, session_id, label }) =>
          audit.record(
            bySession(
              { account_id, session_id, label },
              { action: 'reuseAlarm', route: routes.refreshSession, status: 401 },
            ),
          ),
        ),
      )
      const at = { account_id: account.id, session_id: session.id, label: null }
      const event = { action: 'refreshSession', route: routes.refreshSession, status: 200 }
      await audit.record(bySession(at, event))
      return {
        status: 200,
        body: {
          ok: true,
          agent_session: { ...session, session_id: session.id, account: sessionAccountOf(account) },
        },
      }
    }),

    revokeSession: chain(routes.revokeSession)(async ({ caller, body }) => {
      const { account, credential } = caller
      const { session_id } = body
      const isOwn = credential.id === session_id
      if (!isOwn && credential.kind === 'agent_session') requireWriteScope(caller)
      const mayRevoke = isOwn || credential.kind !== 'demo'
      if (!mayRevoke || !(await agentSessions.revoke(account.id, session_id))) {
        throw new ApiError(
          'NOT_FOUND',
          'The account has no such session. GET /account/agent-sessions lists them.',
        )
      }
      return { status: 200, body: { ok: true, session_id } }
    }),

    createDemoSession: openDemo(routes.createDemoSession)(async ({ request: asked }) => {
      await guards.countDemo(asked.ip, isOfOtherSite(asked, baseUrl))
      const project = await demo.project()
      if (project === null) throw noDemo()
      const session = await agentSessions.issueDemo((await demo.account()).id)
      return {
        status: 200,
        body: { ok: true, mode: 'demo', agent_session: session, projects: [{ name: project.name }] },
      }
    }),

    devApprove: openDev(routes.devApprove)(async ({ request: asked, body }) => {
      const { auth_request_id, email, tier } = body
      requireDeveloper(asked, body.secret, services)
      const request = await authRequests.get(auth_request_id)
      if (request === null) throw authRequestErrors.unknown()
      const identity = { provider: 'dev', issuer: 'dev', subject: email, email, login: null } as const
      const account = request.requires_existing_account
        ? await identities.find(identity)
        : await identities.findOrCreate(identity)
      if (account === null)
        throw new ApiError(
          'NOT_FOUND',
          'There is no account with this address. Send the address of an account.',
        )
      if (tier !== undefined) await accounts.applyPlan(account.id, tier, services.clock.now())
      const decision = await authRequests.approve(auth_request_id, account)
      await audit.record({
        account_id: account.id,
        project: null,
        status: 200,
        actor: { type: 'system', id: 'dev_approve', label: null },
        action: 'agent_approved',
        route: `${routes.devApprove.method} ${routes.devApprove.path}`,
      })
      const code = decision.redirect_url && new URL(decision.redirect_url).searchParams.get('exchange_code')
      return {
        status: 200,
        body: {
          ok: true,
          account_id: account.id,
          status: 'approved',
          exchange_code: decision.finish_code ?? code,
          redirect_url: decision.redirect_url,
        },
      }
    }),
  })
}

/**
 * A session may end itself. Other sessions are of other clients, so ending one is a change of the account.
 */
function requireWriteScope(caller: Caller): void {
  if (hasScope(caller, 'projects:write')) return
  throw new ApiError(
    'FORBIDDEN',
    'A session may end itself. To end another one, use a session with the scope `projects:write`, an API key or the page of connections.',
    { fields: { required_scope: 'projects:write' } },
  )
}

function noDemo(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'This install has no demo project. Sign in, or ask its owner for an API key.',
  )
}

/** What the wrong secrets count for that name no session. */
const UNKNOWN = 'unknown'

/** What a poll of a dead request says beside its status. */
const DEAD: Partial<Record<AuthRequest['status'], 'AUTH_REQUEST_EXPIRED' | 'AUTH_REQUEST_REVOKED'>> = {
  expired: 'AUTH_REQUEST_EXPIRED',
  revoked: 'AUTH_REQUEST_REVOKED',
}
