import { allSites } from '#core/reports/all-sites'
import { routes } from '#schemas/routes'
import { readableProjects } from './open-project.ts'
import { type ReadEndpoint, respond } from './respond.ts'
import type { ReportsServices } from './services.ts'
import { keptSince } from './visible-events.ts'

/** GET /account/all-sites: the events of all projects of the caller. */
export function allSitesEndpoint(services: ReportsServices, { chain, read }: ReadEndpoint) {
  return chain(routes.allSites)(async call => {
    const projects = await readableProjects(services, call.caller)
    const result = await read({ ...call, account: call.caller.account.id }, reportServices =>
      allSites(reportServices, {
        projects,
        params: call.query,
        signal: call.signal,
        keptSince: keptSince(services, call.caller),
      }),
    )
    return respond(call, result)
  })
}
