import { issueOwnerAccess, type OwnerServices } from '#core/accounts/owner'
import type { SetupLinks } from '#core/sign-in/setup-links'
import { type OwnerAccess, ownerRequest } from '#schemas/owner'
import { validate } from '../validate.ts'

/**
 * Gives the deployer access: an account that owns this install, its first project and an API key. Called again it finds
 * both and makes another key, in place of the one before, which is dead at once. The answer is the only place where the
 * key ever stands. Throws ApiError for a request that it cannot read.
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
