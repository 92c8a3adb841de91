import type { LakeStateStore } from '#core/lake/state'
import type { QueryEngine } from '#core/ports'
import { events } from '#core/reports/events'
import { stats } from '#core/reports/stats'
import { routes } from '#schemas/routes'
import { accountRoute, type ChainServices } from '../chain.ts'
import type { HttpFunction } from '../http.ts'
import { httpFunction } from '../http-function.ts'

export type ReportsServices = ChainServices & { engine: QueryEngine; lakeState: LakeStateStore }

/** The analytics reads: each asks its report of core/reports for one project of the caller. */
export function reportsHandler(services: ReportsServices): HttpFunction {
  return httpFunction<'reports'>(services.log, {
    stats: accountRoute(routes.stats, services, async call => ({
      status: 200,
      body: await stats(services, call),
    })),
    events: accountRoute(routes.events, services, async call => ({
      status: 200,
      body: await events(services, call),
    })),
  })
}
