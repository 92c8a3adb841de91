import type { z } from 'zod'
import type { Caller } from '#core/accounts/caller'
import { type IdentityViewServices, openIdentity } from '#core/identity/identity-view'
import type { UserResolver } from '#core/identity/user-resolver'
import type { JsonObject } from '#core/json-object'
import type { LiveBuffer } from '#core/live/buffer'
import { readSnapshot } from '#core/live/snapshot'
import { contextOfRange } from '#core/projects/context-of-range'
import type { Project } from '#core/projects/project'
import type { ReadProject } from '#core/projects/read-project'
import type { ProjectStore } from '#core/projects/store'
import { allSites } from '#core/reports/all-sites'
import { accountBotTraffic, botTraffic } from '#core/reports/bot-traffic'
import { breakdown } from '#core/reports/breakdown'
import { conversion } from '#core/reports/conversion'
import { events } from '#core/reports/events'
import { funnel } from '#core/reports/funnel/funnel'
import { heatmap } from '#core/reports/heatmap'
import { insights } from '#core/reports/insights'
import { eventsLookup, journey } from '#core/reports/lookups'
import { pages } from '#core/reports/pages'
import { paths } from '#core/reports/paths/paths'
import { properties } from '#core/reports/properties'
import { query } from '#core/reports/query/query'
import { receivedProperties } from '#core/reports/received-properties'
import { retention } from '#core/reports/retention'
import { createReader, type ReadServices, receiptHeader } from '#core/reports/run/read'
import { type Report, runReport } from '#core/reports/run/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { DAY_MS, utcDate } from '#core/time'
import type { UsageStore } from '#core/usage/store'
import { type AccountChainServices, accountChain } from '#lambdas/chain/account-chain'
import type { Exchange } from '#lambdas/chain/chain'
import { projectNotFound, resolveProject } from '#lambdas/chain/resolve-project'
import type { FieldsOf } from '#lambdas/chain/row-handler'
import type { HttpFunction } from '#lambdas/http'
import { type Endpoints, httpFunction } from '#lambdas/http-function'
import type { ProjectContext } from '#schemas/contexts'
import { RECEIPT_HEADER, type Receipt } from '#schemas/read-options'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { type ErasePersonServices, erasePersonEndpoint } from './erase-person.ts'
import { type ExperimentResultsServices, experimentResultsEndpoints } from './experiments.ts'
import { sharedForDemo } from './share-demo-answers.ts'
import { keptSince, toScopedProject } from './visible-events.ts'

export type ReportsServices = AccountChainServices &
  ReadServices &
  IdentityViewServices &
  ErasePersonServices &
  ExperimentResultsServices & {
    projects: Pick<ProjectStore, 'list' | 'resolveRecent' | 'forgetRecent'>
    readProject: ReadProject
    buffer: LiveBuffer
    users: UserResolver
    usage: Pick<UsageStore, 'bots'>
  }

/** The rows whose report reads the lake for one project. */
type ReportName = Exclude<
  keyof Endpoints<'reports'>,
  | 'allSites'
  | 'live'
  | 'botTraffic'
  | 'accountBotTraffic'
  | 'erasePerson'
  | 'readExperiment'
  | 'updateExperiment'
>
type ParamsOf<R extends Route> = (FieldsOf<R> extends { query: infer Q } ? Q : unknown) &
  (FieldsOf<R> extends { body: infer B } ? B : unknown)
type BodyOf<R extends Route> = R['responses'] extends { 200: { schema: infer S extends z.ZodType } }
  ? z.input<S>
  : never

/** The report of each row of schemas/routes.ts with `function: 'reports'` and a project. A missing report does not compile. */
const reports: {
  [Name in ReportName]: Report<ParamsOf<(typeof routes)[Name]>, BodyOf<(typeof routes)[Name]>>
} = {
  stats,
  events,
  sessions,
  sessionDistribution,
  pages,
  insights,
  heatmap,
  query,
  funnel,
  paths,
  retention,
  eventsByBody: eventsLookup,
  eventsLookup,
  journey,
  journeyByBody: journey,
  journeyLookup: journey,
  breakdown,
  conversion,
  properties,
  receivedProperties,
}

/** The analytics reads: each route runs its report for one project of the caller, or for all of them. */
export function reportsHandler(services: ReportsServices): HttpFunction {
  // A report reads its project again, so the chain may take it from a cache.
  const unsharedChain = accountChain({
    ...services,
    projects: { ...services.projects, resolve: services.projects.resolveRecent },
  })
  const chain = sharedForDemo(unsharedChain, services)
  const read = createReader(services)
  const endpoints = Object.keys(reports).map(name => {
    // The type of `reports` has checked each report against its row. In this loop the compiler cannot tell the rows
    // apart, so all of them get the type of one.
    const report = reports[name as ReportName] as typeof stats
    const route = routes[name as ReportName] as typeof routes.stats
    const endpoint = chain(route)(async call => {
      const { account } = call.caller
      const { body, receipt } = await read({ ...call, account: account.id }, reportServices =>
        openProject(services, call).then(async ({ project, context }) =>
          runReport(report, reportServices, {
            ...call,
            project,
            identity: await openIdentity(services, toScopedProject(project, call.caller)),
            context,
            keptSince: keptSince(services, call.caller),
          }),
        ),
      )
      call.headers[RECEIPT_HEADER] = receiptHeader(receipt)
      // A dry run has a body of its own, which the rows do not name. schemas/openapi.ts adds it to them.
      return { status: 200, body: body as Awaited<ReturnType<typeof report.compute>> }
    })
    return [name, endpoint]
  })
  const allSitesEndpoint = chain(routes.allSites)(async call => {
    const { account } = call.caller
    const projects = await readableProjects(services, call.caller)
    const { body, receipt } = await read({ ...call, account: account.id }, reportServices =>
      allSites(reportServices, {
        projects,
        params: call.query,
        signal: call.signal,
        keptSince: keptSince(services, call.caller),
      }),
    )
    call.headers[RECEIPT_HEADER] = receiptHeader(receipt)
    return { status: 200, body: body as Awaited<ReturnType<typeof allSites>> }
  })
  const liveEndpoint = unsharedChain(routes.live)(async call => {
    const startedAt = services.clock.now()
    const { project, context } = await openProject(services, call)
    const { body, events } = await readSnapshot(services, {
      project,
      windowSeconds: call.query.window,
      maxEvents: services.profile.live_buffer_events,
    })
    const receipt: Receipt = {
      engine: null,
      rows: events,
      bytes: 0,
      ms: services.clock.now() - startedAt,
      fresh_until: null,
      exact: body.truncated !== true,
      cost_usd: 0,
    }
    call.headers[RECEIPT_HEADER] = receiptHeader(receipt)
    const today = utcDate(startedAt)
    return {
      status: 200,
      body: {
        ...body,
        ...contextOfDates(context, { from: today, to: today }),
        ...(call.options.receipt && { receipt }),
      },
    }
  })
  const botTrafficEndpoint = chain(routes.botTraffic)(async call => {
    const { account } = call.caller
    const { body, receipt } = await read({ ...call, account: account.id }, async ({ clock }) => {
      const { project, context } = await openProject(services, call)
      const report = await botTraffic(services.usage.bots, {
        project,
        params: call.query,
        now: clock.now(),
      })
      return { ...report, ...contextOfDates(context, report.period) }
    })
    call.headers[RECEIPT_HEADER] = receiptHeader(receipt)
    return { status: 200, body: body as Awaited<ReturnType<typeof botTraffic>> }
  })
  const accountBotTrafficEndpoint = chain(routes.accountBotTraffic)(async call => {
    const { account } = call.caller
    const projects = await readableProjects(services, call.caller)
    const { body, receipt } = await read({ ...call, account: account.id }, ({ clock }) =>
      accountBotTraffic(services.usage.bots, { projects, params: call.query, now: clock.now() }),
    )
    call.headers[RECEIPT_HEADER] = receiptHeader(receipt)
    return { status: 200, body: body as Awaited<ReturnType<typeof accountBotTraffic>> }
  })
  return httpFunction<'reports'>(services.log, {
    ...Object.fromEntries(endpoints),
    allSites: allSitesEndpoint,
    live: liveEndpoint,
    botTraffic: botTrafficEndpoint,
    accountBotTraffic: accountBotTrafficEndpoint,
    erasePerson: erasePersonEndpoint(services, accountChain(services)),
    ...experimentResultsEndpoints(services, chain),
  })
}

/**
 * The project of a call as it is now, and its context. Throws NOT_FOUND when the project was deleted after the chain's cache had
 * found it.
 */
async function openProject(services: ReportsServices, call: ProjectCall) {
  const opened = (await services.readProject(call.project)) ?? (await openAgain(services, call))
  call.project = opened.project
  return opened
}

/** Another process has deleted or renamed the project of the cache. Another project may have its name now. */
async function openAgain(services: ReportsServices, call: ProjectCall) {
  services.projects.forgetRecent()
  const { project } = await resolveProject(services)(call)
  const opened = project === undefined ? null : await services.readProject(project)
  if (opened === null) throw projectNotFound(call.project.name)
  return opened
}

type ProjectCall = Exchange & { caller: Caller; json: JsonObject; project: Project }

/** The field `project_context` of a response about these UTC dates, or nothing. */
function contextOfDates(context: ProjectContext, { from, to }: { from: string; to: string }) {
  return contextOfRange(context, { start: Date.parse(from), end: Date.parse(to) + DAY_MS })
}

/** The projects of the account. A demo session sees the demo project only. */
async function readableProjects({ projects, demo }: ReportsServices, { account, credential }: Caller) {
  if (credential.kind !== 'demo') return projects.list(account.id)
  const project = await demo.project()
  return project === null ? [] : [project]
}
