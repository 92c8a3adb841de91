import type { Demo } from '#core/access/demo'
import type { SetupLinks } from '#core/access/setup-links'
import { issueOwnerAccess, type OwnerServices, ownerProject } from '#core/projects/owner'
import type { Project } from '#core/projects/project'
import { validate } from '#lambdas/http/validate'
import { type DemoFilled, type OwnerAccess, ownerRequest } from '#schemas/owner'

const DEMO_PROJECT = 'demo'

/**
 * Gives the deployer access: creates the account that owns this install, its first project and an API key. A
 * second call finds the account and the project, and replaces the key; the old key stops working at once.
 * Nothing else ever shows the key. Throws ApiError for an invalid request. A request with `demo: true` opens
 * the demo instead: everybody may then read the project `demo`, which holds made-up traffic only, by POST
 * /demo/session. A later one adds the traffic since then.
 */
export function ownerHandler(
  services: OwnerServices & {
    setupLinks: Pick<SetupLinks, 'issue'>
    demo: Pick<Demo, 'setProject'>
    fillDemo(project: Project): Promise<number>
    baseUrl: string
  },
) {
  return async function giveAccess(event: unknown): Promise<OwnerAccess | DemoFilled> {
    const request = validate(ownerRequest, (event ?? {}) as Record<string, unknown>)
    if (request.demo === true) {
      const project = await ownerProject(services, DEMO_PROJECT)
      await services.demo.setProject(project)
      const records = await services.fillDemo(project)
      return { base_url: services.baseUrl, demo_project: project.name, records }
    }
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
