import { events } from '#core/reports/events'
import type { ReportServices } from '#core/reports/report'
import { stats } from '#core/reports/stats'
import { routes } from '#schemas/routes'
import { accountChain, type ChainServices } from '../chain.ts'
import type { HttpFunction } from '../http.ts'
import { httpFunction } from '../http-function.ts'

export type ReportsServices = ChainServices & ReportServices

/** The analytics reads: each asks its report of core/reports for one project of the caller. */
export function reportsHandler(services: ReportsServices): HttpFunction {
  const chain = accountChain(services)
  return httpFunction<'reports'>(services.log, {
    stats: chain(routes.stats)(async call => ({ status: 200, body: await stats(services, call) })),
    events: chain(routes.events)(async call => ({ status: 200, body: await events(services, call) })),
  })
}
