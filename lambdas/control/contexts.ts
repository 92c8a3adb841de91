import { ApiError } from '#core/errors'
import type { Annotations } from '#core/projects/annotations'
import type { ContextStore, StoredContext } from '#core/projects/contexts'
import type { accountChain } from '#lambdas/chain/account-chain'
import type { Exchange } from '#lambdas/chain/chain'
import { MAX_ANNOTATIONS } from '#schemas/contexts'
import { routes } from '#schemas/routes'

export type ContextEndpointServices = {
  contexts: ContextStore
  annotations: Pick<Annotations, 'create' | 'remove'>
}

/** Project context, its annotations, and portfolio context (docs/api/projects.md). */
export function contextEndpoints(
  { contexts, annotations }: ContextEndpointServices,
  chain: ReturnType<typeof accountChain>,
) {
  return {
    readProjectContext: chain(routes.readProjectContext)(async ({ project, headers }) => {
      const { context, etag } = withHeader(headers, await contexts.ofProject(project))
      const { name, id: project_id } = project
      return { status: 200, body: { project: name, project_id, project_context: context, etag } }
    }),

    putProjectContext: chain(routes.putProjectContext)(async ({ project, body, request, headers }) => {
      const stored = await contexts.setProject(project, body, request.headers['if-match'])
      const { context, etag } = withHeader(headers, stored)
      const { name, id: project_id } = project
      return { status: 200, body: { ok: true, project: name, project_id, project_context: context, etag } }
    }),

    createAnnotation: chain(routes.createAnnotation)(async ({ project, body }) => {
      const created = await annotations.create(project.id, body)
      if (created !== null) return { status: 201, body: created }
      throw new ApiError(
        'MISSING_FIELDS',
        `The project has ${MAX_ANNOTATIONS} annotations of its own and cannot have more. Remove one first.`,
      )
    }),

    deleteAnnotation: chain(routes.deleteAnnotation)(async ({ project, request }) => {
      if (await annotations.remove(project.id, request.params.annotation ?? ''))
        return { status: 200, body: { ok: true } }
      throw new ApiError(
        'NOT_FOUND',
        'The project has no annotation with this id. GET /project-context lists them; entries without an id are in its list.',
      )
    }),

    readPortfolioContext: chain(routes.readPortfolioContext)(async ({ caller: { account }, headers }) => {
      const { context, etag } = withHeader(headers, await contexts.ofPortfolio(account.id))
      return { status: 200, body: { portfolio_context: context, etag } }
    }),

    putPortfolioContext: chain(routes.putPortfolioContext)(
      async ({ caller: { account }, body, request, headers }) => {
        const stored = await contexts.setPortfolio(account.id, body, request.headers['if-match'])
        const { context, etag } = withHeader(headers, stored)
        return { status: 200, body: { ok: true, portfolio_context: context, etag } }
      },
    ),
  }
}

/** Names the version of a context in the header ETag of the response. */
function withHeader<Context>(
  headers: Exchange['headers'],
  stored: StoredContext<Context>,
): StoredContext<Context> {
  headers.ETag = stored.etag
  return stored
}
