import { isGuest } from '#core/access/caller'
import { createLiveReader } from '#core/live/live-reader'
import { compactLists } from '#core/reports/run/compact-lists'
import { utcDate } from '#core/time'
import type { accountChain } from '#lambdas/chain/account-chain'
import type { Receipt } from '#schemas/read-options'
import { routes } from '#schemas/routes'
import { contextOfDates, openProject } from './open-project.ts'
import { respond } from './respond.ts'
import type { ReportsServices } from './services.ts'

/**
 * GET /live: the last minutes of a project, from the live buffer. No engine runs, so the receipt is made
 * here.
 */
export function liveEndpoint(services: ReportsServices, chain: ReturnType<typeof accountChain>) {
  const { clock, profile, follow, guestPlaces } = services
  const reader = createLiveReader(services)
  return chain(routes.live)(async call => {
    const startedAt = clock.now()
    const opened = await openProject(services, call)
    const { project } = opened
    const asGuest = isGuest(call.caller)
    const asked = {
      project: { id: project.id, name: project.name },
      window: call.query.after === undefined ? { seconds: call.query.window } : { after: call.query.after },
      maxEvents: profile.live_buffer_events,
      maxBytes: profile.live_buffer_bytes,
      isGuest: asGuest,
    }
    // On AWS each read holds an execution, so guests have few places.
    const { body, events } = await (asGuest
      ? guestPlaces.run(project.id, () => reader.read(asked))
      : reader.read(asked))
    const receipt: Receipt = {
      engine: null,
      rows: events,
      bytes: 0,
      ms: clock.now() - startedAt,
      fresh_until: null,
      exact: body.truncated !== true,
      cost_usd: 0,
      data_from: null,
    }
    const today = utcDate(startedAt)
    const context = await contextOfDates(opened, { from: today, to: today })
    const withContext = { ...body, follow, ...context }
    return respond(call, {
      body: {
        ...(call.options.compact ? (compactLists(withContext) as typeof withContext) : withContext),
        ...(call.options.receipt && { receipt }),
        ...(call.warnings.length > 0 && { warnings: [...call.warnings] }),
      },
      receipt,
    })
  })
}
