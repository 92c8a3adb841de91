import type { AgentSessionStore } from '#core/access/agent-sessions'
import type { AuthRequestStore } from '#core/access/auth-requests'
import type { ClientRegistry } from '#core/access/client-registry'
import type { Demo } from '#core/access/demo'
import type { IdentityDirectory } from '#core/access/types'
import type { AuditLog } from '#core/accounts/audit'
import type { AccountStore } from '#core/accounts/store'
import type { AddressGuards } from '#core/limits/address-guards'
import type { AccountChainServices } from '#lambdas/chain/account-chain'
import type { HttpRequest } from '#lambdas/http/http'

export type AuthServices = AccountChainServices & {
  accounts: Pick<AccountStore, 'byId' | 'applyPlan'>
  authRequests: AuthRequestStore
  agentSessions: AgentSessionStore
  demo: Demo
  guards: AddressGuards
  clientRegistry: Pick<ClientRegistry, 'register' | 'keep'>
  identities: Pick<IdentityDirectory, 'findOrCreate' | 'find'>
  audit: Pick<AuditLog, 'record'>
  /** The country that a request comes from, in two letters. */
  country(request: Pick<HttpRequest, 'ip' | 'headers'>): string | null
  /** The secret of POST /dev/approve; null where it is not there, as in production. */
  devApproveSecret: string | null
}
