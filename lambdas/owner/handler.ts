import { issueOwnerAccess, type OwnerServices } from '#core/accounts/owner'
import type { SetupLinks } from '#core/sign-in/setup-links'
import { type OwnerAccess, ownerRequest } from '#schemas/owner'
import { validate } from '../validate.ts'

/**
 * Gives the deployer access: creates the account that owns this install, its first project and an API key. A second call
 * finds the account and the project, and replaces the key; the old key stops working at once. Nothing else ever shows the
 * key. Throws ApiError for an invalid request.
 */
export function ownerHandler(
  services: OwnerServices & { setupLinks: Pick<SetupLinks, 'issue'>; baseUrl: string },
) {
  return async (event: unknown): Promise<OwnerAccess> => {
    const request = validate(ownerRequest, (event ?? {}) as Record<string, unknown>)
    const { account_id, api_key, project } = await issueOwnerAccess(services, request)
    return {
      base_url: services.baseUrl,
      account_id,
      api_key,
      project: project.name,
      project_token: project.project_token,
      setup_link: `${services.baseUrl}/setup/${await services.setupLinks.issue(account_id)}`,
    }
  }
}
