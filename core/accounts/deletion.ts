import type { ProjectStore } from '#core/projects/store'
import type { AgentSessionStore } from '#core/sessions/agent-sessions'
import type { Account } from './caller.ts'
import type { AccountStore } from './store.ts'

export type DeletionServices = {
  accounts: Pick<AccountStore, 'markDeleted'>
  projects: Pick<ProjectStore, 'list' | 'remove'>
  agentSessions: Pick<AgentSessionStore, 'revokeAll'>
}

/**
 * Deletes an account (contract 7, U14): it is marked first, so that every credential of it is dead at once wherever a
 * later step fails; a repeated call goes on. Projects are deleted softly, as DELETE /projects/{id} does it, and their
 * data goes 30 days later.
 */
export function createAccountDeletion({ accounts, projects, agentSessions }: DeletionServices) {
  return async ({ id }: Pick<Account, 'id'>): Promise<void> => {
    await accounts.markDeleted(id)
    await agentSessions.revokeAll(id)
    for (const project of await projects.list(id)) await projects.remove(project)
  }
}
