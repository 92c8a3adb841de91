import type { ErasureReceipts } from '#core/erasure/receipts'
import { ApiError } from '#core/errors'
import { type ErasureFeed, LISTED_MS } from '#core/identity/erasure-feed'
import type { Now } from '#core/ports'
import { quoted } from '#core/text/clean-text'
import { DAY_MS } from '#core/time'
import type { accountChain } from '#lambdas/chain/account-chain'
import { parseSince } from '#schemas/fields'
import { routes } from '#schemas/routes'

export type ErasureEndpointServices = {
  receipts: Pick<ErasureReceipts, 'progress'>
  erasureFeed: Pick<ErasureFeed, 'list'>
  clock: Now
}

/** Receipts of erasures, and their list for copies of the events (docs/api/erasure.md). */
export function erasureEndpoints(
  { receipts, erasureFeed, clock }: ErasureEndpointServices,
  chain: ReturnType<typeof accountChain>,
) {
  return {
    listErasures: chain(routes.listErasures)(async ({ project, query: { since, after } }) => {
      const now = clock.now()
      const from = since === undefined ? now : momentOf(since, now)
      if (from < now - LISTED_MS)
        throw new ApiError(
          'INVALID_SINCE',
          `Parameter \`since\` is more than ${LISTED_MS / DAY_MS} days ago, and older erasures are no longer listed. Use a new copy: read all events once more.`,
        )
      const { next_since, ...page } = await erasureFeed.list(project.id, from, after)
      return {
        status: 200,
        body: {
          project: project.name,
          project_id: project.id,
          ...page,
          next_since: new Date(next_since).toISOString(),
        },
      }
    }),

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

/** A `since` as Unix ms. Days count back from now, and a date begins in UTC. */
function momentOf(text: string, now: number): number {
  const since = parseSince(text)
  if (since === null) throw new Error('The model has checked the form of `since`')
  if ('at' in since) return since.at
  return 'days' in since ? now - since.days * DAY_MS : Date.parse(since.date) + (since.time ?? 0)
}
