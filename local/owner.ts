import { issueOwnerAccess, type OwnerServices } from '#core/projects/owner'
import type { Project } from '#core/projects/project'
import type { Stores } from '#core/stores'
import type { Credentials } from '#schemas/owner'

const DEMO_PROJECT = 'demo'

/**
 * Returns the owner's credentials and their project: the stored credentials, or new ones
 * (core/projects/owner.ts) when `stored` is null. Writes no file.
 */
export async function ensureOwner(
  services: OwnerServices & Pick<Stores, 'projects'>,
  stored: Credentials | null,
  baseUrl: string,
): Promise<{ credentials: Credentials; project: Project | null }> {
  if (stored !== null) {
    const project = await services.projects.resolve(stored.account_id, stored.project)
    return { credentials: { ...stored, base_url: baseUrl }, project }
  }
  const { account_id, api_key, project } = await issueOwnerAccess(services, { project: DEMO_PROJECT })
  const { name, project_token } = project
  return { project, credentials: { base_url: baseUrl, account_id, api_key, project: name, project_token } }
}
