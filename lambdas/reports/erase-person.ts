import { type RequestErasureServices, requestErasure } from '#core/erasure/request-erasure'
import type { accountChain } from '#lambdas/chain/account-chain'
import { LISTED_IDS } from '#schemas/erasures'
import { routes } from '#schemas/routes'

/** DELETE /users/{id} (docs/api/erasure.md). */
export function erasePersonEndpoint(
  services: RequestErasureServices,
  chain: ReturnType<typeof accountChain>,
) {
  return chain(routes.erasePerson)(async ({ project, request, query, body, signal }) => {
    const userId = body.user_id ?? query.user_id ?? request.params.id ?? ''
    const { confirm, dry_run: isDryRun } = query
    const { userIds, events, erasureId } = await requestErasure(
      services,
      project,
      { userId, confirm, isDryRun },
      signal,
    )
    if (erasureId === null) return { status: 200, body: toDryRun(userIds, events) }
    return { status: 202, body: { ok: true as const, erasure_id: erasureId, status: 'pending' as const } }
  })
}

function toDryRun(userIds: readonly string[], events: number) {
  const ids = userIds.slice(0, LISTED_IDS)
  const count = userIds.length
  return {
    dry_run: true as const,
    ids,
    count,
    ...(count > ids.length && { truncated: true as const }),
    events,
  }
}
