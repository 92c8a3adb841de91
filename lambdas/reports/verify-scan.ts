import { ApiError } from '#core/errors'
import type { ExperimentStore } from '#core/experiments/store'
import { type IdentityViewServices, openIdentity } from '#core/identity/identity-view'
import type { Project } from '#core/projects/project'
import type { ReadProject } from '#core/projects/read-project'
import type { ProjectStore } from '#core/projects/store'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { findScan } from '#core/scans/find-scan'
import type { ScanStore } from '#core/scans/scan-store'
import { receivedSince } from '#core/scans/verify/count-received'
import { judgeEvents } from '#core/scans/verify/judge-events'
import type { RefusalStore } from '#core/usage/refusal-store'
import type { UsedEvents } from '#core/usage/used-events'
import type { accountChain } from '#lambdas/chain/account-chain'
import type { Endpoint } from '#lambdas/chain/chain'
import { refusedEventsOf } from '#lambdas/control/refused-events'
import { siteFiles } from '#scanner/handoff/site-files'
import { routes } from '#schemas/routes'
import { keptSince, type RetentionServices, toScopedProject } from './visible-events.ts'

export type VerifyScanServices = ReportServices &
  IdentityViewServices &
  RetentionServices & {
    scanStore: Pick<ScanStore, 'find' | 'findResult'>
    projects: Pick<ProjectStore, 'resolve'>
    experiments: Pick<ExperimentStore, 'list'>
    readProject: ReadProject
    usedEvents: UsedEvents
    refusalStore: Pick<RefusalStore, 'read'>
  }

/**
 * POST /website-scans/{id}/verify: which recommended events have arrived since the analysis, and what looks
 * wrong.
 */
export function verifyScanEndpoint(
  services: VerifyScanServices,
  chain: ReturnType<typeof accountChain>,
): Endpoint {
  const { scanStore, projects, experiments, readProject, usedEvents, refusalStore, clock } = services

  /** Whether a report, an experiment or the context has named an event; null: nobody can say. */
  async function findUses(project: Project): Promise<(event: string) => boolean | null> {
    const [used, running, opened] = await Promise.all([
      usedEvents.read(project.id),
      experiments.list(project),
      readProject(project),
    ])
    const goals = new Set(running.map(({ goal_event }) => goal_event))
    const context = (await opened?.contextSince(0)) ?? null
    const written = new Set(JSON.stringify(context).match(/\w+/g))
    return event => {
      const isUsed = used.names.has(event) || goals.has(event) || written.has(event)
      return isUsed || (used.isFull ? null : false)
    }
  }

  return chain(routes.verifyScan)(async ({ caller, request, signal }) => {
    const scan = await findScan(scanStore, request.params.id ?? '', caller.account)
    const stored = (await scanStore.findResult(scan, 'full')) ?? (await scanStore.findResult(scan, 'preview'))
    const plan = stored?.result.minimum_viable_instrumentation ?? []
    const project =
      scan.project_id === undefined ? null : await projects.resolve(caller.account.id, scan.project_id)
    if (project === null) {
      throw new ApiError(
        'MISSING_FIELDS',
        'The analysis is for no project. Create a project with its id as `source_scan_id`, or upgrade it with `project`.',
      )
    }
    const counting = runReport(receivedSince, services, {
      project,
      query: {
        startedAt: scan.created_at,
        planned: plan.map(({ event }) => event),
        properties: [...new Set(plan.flatMap(({ properties }) => properties.map(({ name }) => name)))],
      },
      signal,
      identity: await openIdentity(services, toScopedProject(project, caller)),
      keptSince: keptSince(services, caller),
    })
    const [received, refusals] = await Promise.all([counting, refusalStore.read(project.id, clock.now())])
    const isUsed = await findUses(project)
    const planned = new Set(plan.map(({ event }) => event))
    const events = received.events.map(each =>
      planned.has(each.event) ? { ...each, is_used: isUsed(each.event) } : each,
    )
    const refused = refusals
      .filter(({ at }) => at >= scan.created_at)
      .map(each => refusedEventsOf(each, project))
      .map(({ reason, events, last, fix }) => ({ reason, events, last, fix }))
    const { pages, server = 'the code of the server' } = siteFiles(
      stored?.result.understanding.framework ?? null,
    )
    return {
      status: 200,
      body: {
        analysis_id: scan.id,
        checked_at: clock.now(),
        events: judgeEvents(plan, { ...received, events }, { refused, pages, server }),
        refused,
      },
    }
  })
}
