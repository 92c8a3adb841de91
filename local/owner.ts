import { ownerAccount } from '#core/accounts/owner'
import type { Project } from '#core/projects/project'
import type { StateTable } from '#core/state-table'
import type { Stores } from '#core/stores'
import type { Credentials } from './credentials-file.ts'

export type OwnerServices = StateTable & Pick<Stores, 'accounts' | 'projects'>

const DEMO_PROJECT = 'demo'
/** Nobody writes to it; who signs in joins with another issue. */
const OWNER_EMAIL = 'owner@localhost'

/**
 * The owner's credentials and the project in them: those that are known, else new ones. Every step that an earlier start
 * has done is found again, wherever it was cut off; only the key is made anew, as nobody can have read it.
 * Writes no file.
 */
export async function ensureOwner(
  services: OwnerServices,
  known: Credentials | null,
  baseUrl: string,
): Promise<{ credentials: Credentials; project: Project | null }> {
  const { accounts, projects } = services
  if (known !== null) {
    const project = await projects.resolve(known.account_id, known.project)
    return { credentials: { ...known, base_url: baseUrl }, project }
  }
  const accountId = await ownerAccount(services, OWNER_EMAIL)
  const { project } = await projects.create({ account: { id: accountId }, name: DEMO_PROJECT })
  const api_key = await accounts.issueApiKey(accountId)
  return {
    project,
    credentials: {
      base_url: baseUrl,
      account_id: accountId,
      api_key,
      project: project.name,
      project_token: project.project_token,
    },
  }
}
