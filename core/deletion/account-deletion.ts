import type { Account } from '#core/accounts/caller'
import type { AccountStore } from '#core/accounts/store'
import type { ProjectStore } from '#core/projects/store'
import type { AgentSessionStore } from '#core/sessions/agent-sessions'

export type DeletionServices = {
  accounts: Pick<AccountStore, 'markDeleted'>
  projects: Pick<ProjectStore, 'list' | 'remove'>
  agentSessions: Pick<AgentSessionStore, 'revokeAll'>
}

/**
 * Deletes an account (contract 7, U14): it is marked first, so that every credential of it is dead at once wherever a
 * later step fails. Projects are deleted softly, as DELETE /projects/{id} does it, and the data goes 30 days later
 * (purge.ts), which also comes to projects that a crash has left out here.
 */
export function createAccountDeletion({ accounts, projects, agentSessions }: DeletionServices) {
  return async ({ id }: Pick<Account, 'id'>): Promise<void> => {
    await accounts.markDeleted(id)
    await agentSessions.revokeAll(id)
    for (const project of await projects.list(id)) await projects.remove(project)
  }
}
