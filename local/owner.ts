import { issueOwnerAccess, type OwnerServices } from '#core/accounts/owner'
import type { Project } from '#core/projects/project'
import type { Stores } from '#core/stores'
import type { Credentials } from '#schemas/owner'

const DEMO_PROJECT = 'demo'

/**
 * The owner's credentials and the project in them: those that are known, else new ones (core/accounts/owner.ts). Writes
 * no file.
 */
export async function ensureOwner(
  services: OwnerServices & Pick<Stores, 'projects'>,
  known: Credentials | null,
  baseUrl: string,
): Promise<{ credentials: Credentials; project: Project | null }> {
  if (known !== null) {
    const project = await services.projects.resolve(known.account_id, known.project)
    return { credentials: { ...known, base_url: baseUrl }, project }
  }
  const { account_id, api_key, project } = await issueOwnerAccess(services, { project: DEMO_PROJECT })
  const { name, project_token } = project
  return { project, credentials: { base_url: baseUrl, account_id, api_key, project: name, project_token } }
}
