import type { Demo } from '#core/access/demo'
import type { AgentSessionList } from '#core/access/types'
import { accountRecordOf, accountUsageOf } from '#core/accounts/account-record'
import type { AuditLog } from '#core/accounts/audit'
import type { FeedbackStore } from '#core/accounts/feedback'
import type { AccountStore } from '#core/accounts/store'
import { ApiError } from '#core/errors'
import type { Profile } from '#core/plans/profile'
import type { Now } from '#core/ports'
import type { ProjectStore } from '#core/projects/store'
import { utcDate } from '#core/time'
import type { UsageCounters } from '#core/usage/counters'
import type { accountChain } from '#lambdas/chain/account-chain'
import { projectsOfCaller } from '#lambdas/http/caller-projects'
import { routes } from '#schemas/routes'

export type AccountServices = {
  accounts: Pick<AccountStore, 'hasApiKey' | 'issueApiKey'>
  agentSessions: { list(accountId: string, only?: string): ReturnType<AgentSessionList['list']> }
  projects: Pick<ProjectStore, 'list'>
  demo: Pick<Demo, 'project'>
  usage: Pick<UsageCounters, 'month'>
  audit: Pick<AuditLog, 'list'>
  feedback: Pick<FeedbackStore, 'submit'>
  /** null where nobody pays. */
  billing: { isCheckoutPending(accountId: string): Promise<boolean> } | null
  profile: Profile
  baseUrl: string
  clock: Now
}

/** The account, its keys, sessions and audit log (docs/api/account.md). */
export function accountEndpoints(services: AccountServices, chain: ReturnType<typeof accountChain>) {
  const { accounts, agentSessions, usage, audit, feedback, billing, profile, baseUrl, clock } = services

  return {
    readAccount: chain(routes.readAccount)(async ({ caller }) => ({
      status: 200,
      body: accountRecordOf(caller.account, profile, (await projectsOfCaller(services, caller)).length),
    })),

    readAccountUsage: chain(routes.readAccountUsage)(async ({ caller: { account } }) => {
      const [month, isCheckoutPending] = await Promise.all([
        usage.month(account.id, utcDate(clock.now()).slice(0, 7)),
        account.tier === 'free' && billing !== null && billing.isCheckoutPending(account.id),
      ])
      return { status: 200, body: accountUsageOf({ account, profile, month, isCheckoutPending, baseUrl }) }
    }),

    // A demo session must not see the sessions of others who try the demo.
    listAgentSessions: chain(routes.listAgentSessions)(async ({ caller: { account, credential } }) => {
      const only = credential.kind === 'demo' ? credential.id : undefined
      return { status: 200, body: { sessions: await agentSessions.list(account.id, only) } }
    }),

    sendFeedback: chain(routes.sendFeedback)(async ({ caller: { account }, body }) => {
      await feedback.submit({ account_id: account.id, ...body })
      return { status: 200, body: { ok: true } }
    }),

    rotateApiKey: chain(routes.rotateApiKey)(async ({ caller: { account } }) => ({
      status: 200,
      body: { ok: true, api_key: await accounts.issueApiKey(account.id) },
    })),

    issueApiKey: chain(routes.issueApiKey)(async ({ caller: { account } }) => ({
      status: 201,
      body: { api_key: await accounts.issueApiKey(account.id) },
    })),

    readAudit: chain(routes.readAudit)(async ({ caller: { account }, query }) => {
      const page = await audit.list(account.id, query.limit, query.before)
      if (page === null) {
        throw new ApiError('MISSING_FIELDS', 'Parameter `before` takes the `next_before` of the page before.')
      }
      return { status: 200, body: page }
    }),
  }
}
