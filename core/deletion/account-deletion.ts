import type { AgentSessionStore } from '#core/access/agent-sessions'
import type { Passkeys } from '#core/access/passkeys'
import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import type { Billing } from '#core/billing/billing'
import type { ProjectStore } from '#core/projects/store'

export type DeletionServices = {
  /** Null where nobody pays. */
  billing: Pick<Billing, 'planCancellation' | 'cancelPlanned'> | null
  accounts: Pick<AccountStore, 'markDeleted'>
  projects: Pick<ProjectStore, 'list' | 'remove'>
  agentSessions: Pick<AgentSessionStore, 'revokeAll'>
  passkeys: Pick<Passkeys, 'removeAll'>
}

/**
 * Deletes an account (U14): it is marked first, so that every credential of it is dead at once wherever a
 * later step fails. Projects are deleted softly, as DELETE /projects/{id} does it, and the data goes 30 days
 * later (purge.ts), which also comes to projects that a crash has left out here. The subscription ends at
 * once, or as soon as the payment provider can be reached (core/billing/cancellations.ts).
 */
export function createAccountDeletion({
  billing,
  accounts,
  projects,
  agentSessions,
  passkeys,
}: DeletionServices) {
  return async ({ id }: Pick<Account, 'id'>): Promise<void> => {
    // Before the mark, so that a crash after it leaves nobody paying; after it, for what was paid in between.
    await billing?.planCancellation(id)
    await accounts.markDeleted(id)
    await billing?.planCancellation(id)
    await agentSessions.revokeAll(id)
    await passkeys.removeAll(id)
    for (const project of await projects.list(id)) await projects.remove(project)
    await billing?.cancelPlanned()
  }
}
