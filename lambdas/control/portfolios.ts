import type { Caller } from '#core/access/caller'
import { ApiError } from '#core/errors'
import type { PortfolioStore } from '#core/projects/portfolios'
import type { accountChain } from '#lambdas/chain/account-chain'
import { routes } from '#schemas/routes'

/** Identity portfolios (docs/api/portfolios.md). */
export function portfolioEndpoints(
  { portfolios }: { portfolios: PortfolioStore },
  chain: ReturnType<typeof accountChain>,
) {
  return {
    listPortfolios: chain(routes.listPortfolios)(async ({ caller }) => ({
      status: 200,
      body: { portfolios: isDemo(caller) ? [] : await portfolios.list(caller.account.id) },
    })),

    createPortfolio: chain(routes.createPortfolio)(async ({ caller: { account }, body }) => ({
      status: 201,
      body: { ok: true, portfolio: await portfolios.create(account.id, body) },
    })),

    readPortfolio: chain(routes.readPortfolio)(async ({ caller, request: { params } }) => {
      // A demo session sees the demo project, and nothing else of its account.
      if (isDemo(caller))
        throw new ApiError('NOT_FOUND', 'A demo session has no portfolios. Sign in to see yours.')
      return {
        status: 200,
        body: { portfolio: await portfolios.read(caller.account.id, params.idOrSlug ?? '') },
      }
    }),

    updatePortfolio: chain(routes.updatePortfolio)(
      async ({ caller: { account }, request: { params }, body }) => ({
        status: 200,
        body: { ok: true, portfolio: await portfolios.update(account.id, params.idOrSlug ?? '', body) },
      }),
    ),

    deletePortfolio: chain(routes.deletePortfolio)(async ({ caller: { account }, request: { params } }) => ({
      status: 200,
      body: { ok: true, deleted: await portfolios.remove(account.id, params.idOrSlug ?? '') },
    })),
  }
}

function isDemo({ credential }: Caller): boolean {
  return credential.kind === 'demo'
}
