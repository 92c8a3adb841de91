import { ApiError } from '#core/errors'
import { limitExtras } from '#core/plans/rate-limited'
import type { Log } from '#core/ports'
import type { ProjectStore } from '#core/projects/store'
import type { Replays } from '#core/replays/open-replays'
import { viewerGone } from '#core/replays/viewer-gone'
import { MAX_READS } from '#core/replays/viewer-links'
import { replayEvents } from '#core/reports/replay-events'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { engineFor } from '#core/reports/run/statement-log'
import { publicChain } from '#lambdas/chain/public-chain'
import { routes } from '#schemas/routes'

/** An event of the tracker may be this much before the first or after the last one of the recorder, ms. */
const MARGIN_MS = 5_000

/**
 * POST /replay/view/events: what the tracker has sent in the time of a replay. It is no metered read, as the
 * account has opened the replay; each address of the viewer reads it a few times.
 */
export function viewEventsEndpoint(
  services: ReportServices & {
    replays: Pick<Replays, 'links'>
    projects: Pick<ProjectStore, 'resolve'>
    log: Log
  },
) {
  const { replays, projects } = services
  return publicChain(services)(routes.viewEvents)(async ({ body: { secret }, signal }) => {
    const found = await replays.links.find(secret)
    const project = found && (await projects.resolve(found.replay.account_id, found.replay.project_id))
    if (!found || !project) throw viewerGone()
    if (!(await replays.links.countRead(secret))) {
      throw new ApiError(
        'RATE_LIMITED',
        'This address of the viewer has read the events too often. Open the replay again.',
        limitExtras({ limit: MAX_READS, remaining: 0, resetAt: found.expiresAt }, services.clock.now(), {
          reason: 'rate_limit',
        }),
      )
    }
    const { session_id, started_at, chunks } = found.replay
    const times = chunks.flatMap(({ from, to }) => [from, to])
    // Whoever has the address reads for the account, at most sixty times.
    const reader = { account: found.replay.account_id, order: 0 }
    const reading = { ...services, engine: engineFor(services.engine, reader) }
    const body = await runReport(replayEvents, reading, {
      project,
      query: {
        session_id,
        from: Math.min(started_at, ...times) - MARGIN_MS,
        to: Math.max(started_at, ...times) + MARGIN_MS,
      },
      signal,
    })
    return { status: 200, body: { events: body.events, ...(body.truncated && { truncated: true as const }) } }
  })
}
