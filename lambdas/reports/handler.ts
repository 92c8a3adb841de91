import { isGuest } from '#core/access/caller'
import { openIdentity } from '#core/identity/identity-view'
import { firstAnnotation } from '#core/projects/context-of-range'
import { namedSegments } from '#core/reports/conditions/segments'
import { reportsForLinks } from '#core/reports/few-people/reports-for-links'
import { firstDayOf } from '#core/reports/run/asked-range'
import { createReader } from '#core/reports/run/read'
import { runReport } from '#core/reports/run/run'
import { namedEvents } from '#core/scans/verify/named-events'
import { accountChain } from '#lambdas/chain/account-chain'
import type { Endpoint } from '#lambdas/chain/chain'
import type { HttpFunction } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import type { ReadOptions } from '#schemas/read-options'
import { routes } from '#schemas/routes'
import { allSitesEndpoint } from './all-sites.ts'
import { botTrafficEndpoints } from './bot-traffic.ts'
import { erasePersonEndpoint } from './erase-person.ts'
import { experimentResultsEndpoints } from './experiments.ts'
import { keepGuestAnswers } from './keep-guest-answers.ts'
import { liveEndpoint } from './live.ts'
import { openProject, type ProjectCall } from './open-project.ts'
import { readerOf } from './reader-of.ts'
import { readsEndpoint } from './reads.ts'
import { type ReportName, reports } from './reports.ts'
import { type ReadEndpoint, respond } from './respond.ts'
import type { ReportsServices } from './services.ts'
import { verifyScanEndpoint } from './verify-scan.ts'
import { viewEventsEndpoint } from './view-events.ts'
import { keptSince, toScopedProject } from './visible-events.ts'

/** The analytics reads: each route runs its report for one project of the caller, or for all of them. */
export function reportsHandler(services: ReportsServices): HttpFunction {
  // A report reads its project again, so the chain may take it from a cache.
  const unsharedChain = accountChain({
    ...services,
    projects: { ...services.projects, resolve: services.projects.resolveRecent },
  })
  const chain = keepGuestAnswers(unsharedChain, services)
  const reading = { chain, ...createReader(services) }
  const names = Object.keys(reports) as ReportName[]
  const endpoints = Object.fromEntries(
    names.map(name => [name, reportEndpoint(services, reading, name)]),
  ) as Record<ReportName, Endpoint>
  return httpFunction<'reports'>(services.log, {
    ...endpoints,
    allSites: allSitesEndpoint(services, reading),
    live: liveEndpoint(services, unsharedChain),
    ...botTrafficEndpoints(services, reading),
    erasePerson: erasePersonEndpoint(services, accountChain(services)),
    ...experimentResultsEndpoints(services, chain),
    verifyScan: verifyScanEndpoint(services, accountChain(services)),
    reads: readsEndpoint(services, unsharedChain, endpoints),
    viewEvents: viewEventsEndpoint(services),
  })
}

/** The endpoint of a report. */
function reportEndpoint(services: ReportsServices, { chain, readShared }: ReadEndpoint, name: ReportName) {
  // The type of `reports` has checked each report against its row. Here the compiler cannot tell the rows
  // apart, so all of them get the type of one.
  const reportOfAccount = reports[name] as typeof reports.stats
  const reportOfLink = { ...reportsForLinks }[name as keyof typeof reportsForLinks] as typeof reports.stats
  const route = routes[name] as typeof routes.stats
  return chain(route)(async function answerReport(call) {
    // A route with GET has no body.
    const { query, body } = { body: undefined, ...call }
    const isLink = call.caller.shared !== undefined
    const report = isLink ? reportOfLink : reportOfAccount
    const result = await readShared(
      { ...call, ...readerOf(services, call) },
      async function askReport({ quietEngine = services.engine, clock }) {
        const { project, contextSince } = await openProject(services, call)
        const scoped = toScopedProject(project, call.caller)
        const start = firstDayOf(report.range, { project, query, body }, clock.now())
        const [identity, context, segments] = await Promise.all([
          openIdentity({ ...services, engine: quietEngine }, scoped),
          contextSince(firstAnnotation({ start })),
          services.segments.conditionsOf(project.id, namedSegments(query, body)),
        ])
        const asked = { project, query, body, context, segments, keptSince: keptSince(services, call.caller) }
        const { links, isPartial, joinedProjects } = identity
        const open = { ...asked, identity, replays: services.replays, isByWholeDates: isLink }
        return {
          question: JSON.stringify([name, isLink, asked, links, isPartial, joinedProjects]),
          compute: (reportServices, signal) => runReport(report, reportServices, { ...open, signal }),
        }
      },
    )
    noteUse(services, call, namedEvents(query, body))
    return respond(call, result)
  })
}

/** Notes which events a report of the account was about, for POST /website-scans/{id}/verify. */
function noteUse(
  { usedEvents, log }: ReportsServices,
  { project, caller, writes, options }: ProjectCall & { options: unknown },
  events: readonly string[],
): void {
  const { dry_run } = (options ?? {}) as Partial<ReadOptions>
  if (isGuest(caller) || dry_run === true) return
  const noted = usedEvents.note(project.id, events)
  writes.push(noted.catch(error => log('READ_NOT_COUNTED', { error: String(error) })))
}
