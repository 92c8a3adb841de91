import type { ContextStore } from '#core/projects/contexts'
import type { accountChain } from '#lambdas/chain/account-chain'
import { routes } from '#schemas/routes'

/** Project context and portfolio context (docs/api/projects.md). */
export function contextEndpoints(
  { contexts }: { contexts: ContextStore },
  chain: ReturnType<typeof accountChain>,
) {
  return {
    readProjectContext: chain(routes.readProjectContext)(async ({ project }) => ({
      status: 200,
      body: {
        project: project.name,
        project_id: project.id,
        project_context: await contexts.ofProject(project),
      },
    })),

    putProjectContext: chain(routes.putProjectContext)(async ({ project, body }) => ({
      status: 200,
      body: {
        ok: true,
        project: project.name,
        project_id: project.id,
        project_context: await contexts.setProject(project, body),
      },
    })),

    readPortfolioContext: chain(routes.readPortfolioContext)(async ({ caller: { account } }) => ({
      status: 200,
      body: { portfolio_context: await contexts.ofPortfolio(account.id) },
    })),

    putPortfolioContext: chain(routes.putPortfolioContext)(async ({ caller: { account }, body }) => ({
      status: 200,
      body: { ok: true, portfolio_context: await contexts.setPortfolio(account.id, body) },
    })),
  }
}
