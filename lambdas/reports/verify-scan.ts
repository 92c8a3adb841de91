import { ApiError } from '#core/errors'
import type { ExperimentStore } from '#core/experiments/store'
import { type IdentityViewServices, openIdentity } from '#core/identity/identity-view'
import type { ProjectStore } from '#core/projects/store'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { findScan } from '#core/scans/find-scan'
import type { ScanStore } from '#core/scans/scan-store'
import { receivedSince } from '#core/scans/verify/count-received'
import { judgeEvents } from '#core/scans/verify/judge-events'
import type { accountChain } from '#lambdas/chain/account-chain'
import type { Endpoint } from '#lambdas/chain/chain'
import { routes } from '#schemas/routes'
import { keptSince, type RetentionServices, toScopedProject } from './visible-events.ts'

export type VerifyScanServices = ReportServices &
  IdentityViewServices &
  RetentionServices & {
    scanStore: Pick<ScanStore, 'find' | 'findResult'>
    projects: Pick<ProjectStore, 'resolve'>
    experiments: Pick<ExperimentStore, 'list'>
  }

/**
 * POST /website-scans/{id}/verify: which recommended events have arrived since the analysis, and what looks
 * wrong.
 */
export function verifyScanEndpoint(
  services: VerifyScanServices,
  chain: ReturnType<typeof accountChain>,
): Endpoint {
  const { scanStore, projects, experiments, clock } = services
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
    const received = await runReport(receivedSince, services, {
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
    const goals = new Set((await experiments.list(project)).map(({ goal_event }) => goal_event))
    const events = received.events.map(each => (goals.has(each.event) ? { ...each, is_used: true } : each))
    return {
      status: 200,
      body: {
        analysis_id: scan.id,
        checked_at: clock.now(),
        events: judgeEvents(plan, { ...received, events }),
      },
    }
  })
}
