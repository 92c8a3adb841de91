import type { AgentSessionStore } from '#core/access/agent-sessions'
import type { IssuedSession } from '#core/access/token-pairs'
import type { AuthRequest, WonExchange } from '#core/access/types'
import type { Account } from '#core/accounts/account'
import type { AuditEvent, AuditLog } from '#core/accounts/audit'
import type { AccountStore } from '#core/accounts/store'
import { authRequired } from '#lambdas/chain/authenticate'
import type { Route } from '#schemas/route'

export type Issue = (won: WonExchange, route: Route) => Promise<{ session: IssuedSession; account: Account }>

/** Issues the session of an approved request, and writes it to the audit log. */
export function createIssue({
  accounts,
  agentSessions,
  audit,
  baseUrl,
}: {
  accounts: Pick<AccountStore, 'byId'>
  agentSessions: Pick<AgentSessionStore, 'issue'>
  audit: Pick<AuditLog, 'record'>
  baseUrl: string
}): Issue {
  return async function issueSession({ request, account_id, session_id }, route) {
    const account = await accounts.byId(account_id)
    if (account === null) throw authRequired(baseUrl, 'unknown')
    const session = await agentSessions.issue(account_id, request, session_id)
    const at = { account_id, session_id: session.id, label: request.label }
    await audit.record(bySession(at, { action: 'issueSession', route, status: 200 }))
    return { session, account }
  }
}

/** What an agent session did, for the audit log. */
export function bySession(
  { account_id, session_id, label }: { account_id: string; session_id: string; label: string | null },
  { action, route, status }: { action: string; route: Route; status: number },
): AuditEvent {
  return {
    account_id,
    actor: { type: 'agent_session', id: session_id, label },
    action,
    route: `${route.method} ${route.path}`,
    project: null,
    status,
  }
}

/** The page on which a human decides. */
export function authorizeUrl(baseUrl: string, { id }: Pick<AuthRequest, 'id'>): string {
  return `${baseUrl}/agent-sessions/authorize/${id}`
}
