import type { ErasureReceipts } from '#core/erasure/receipts'
import { ApiError } from '#core/errors'
import { quoted } from '#core/text/clean-text'
import type { accountChain } from '#lambdas/chain/account-chain'
import { routes } from '#schemas/routes'

/** GET /erasures/{id} (docs/api/erasure.md): the receipt of an erasure of the account. */
export function erasureEndpoints(
  { receipts }: { receipts: Pick<ErasureReceipts, 'progress'> },
  chain: ReturnType<typeof accountChain>,
) {
  return {
    readErasure: chain(routes.readErasure)(async ({ caller: { account }, request }) => {
      const id = request.params.id ?? ''
      const report = await receipts.progress(account.id, id)
      if (report === null) {
        throw new ApiError(
          'NOT_FOUND',
          `The account has no erasure ${quoted(id)}. Use the \`erasure_id\` of DELETE /users/{id}.`,
        )
      }
      const { removed, sessions, links, profiles, replays, ...receipt } = report
      return {
        status: 200,
        body: {
          ...receipt,
          removed: {
            events: removed.events,
            sessions,
            links,
            profiles,
            replays,
            files_rewritten: removed.files,
          },
        },
      }
    }),
  }
}
