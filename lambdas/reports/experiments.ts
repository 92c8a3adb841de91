import type { Caller } from '#core/accounts/caller'
import { changeStatus } from '#core/experiments/change-status'
import { experimentResults, type MeasuredExperiment } from '#core/experiments/results'
import type { ExperimentStore } from '#core/experiments/store'
import { type IdentityViewServices, openIdentity } from '#core/identity/identity-view'
import type { Project } from '#core/projects/project'
import { type ReportServices, runReport } from '#core/reports/run/run'
import type { accountChain } from '#lambdas/chain/account-chain'
import type { Exchange } from '#lambdas/chain/chain'
import { type FindExperimentServices, findExperiment } from '#lambdas/chain/find-experiment'
import { routes } from '#schemas/routes'
import { keptSince, type RetentionServices, toScopedProject } from './visible-events.ts'

export type ExperimentResultsServices = FindExperimentServices &
  ReportServices &
  IdentityViewServices &
  RetentionServices & { experiments: Pick<ExperimentStore, 'changeStatus'> }

/**
 * The routes of one experiment that read its results (docs/api/experiments.md): by request, and to find the
 * winner.
 */
export function experimentResultsEndpoints(
  services: ExperimentResultsServices,
  chain: ReturnType<typeof accountChain>,
) {
  async function readResults(
    { caller, signal }: Exchange & { caller: Caller },
    project: Project,
    experiment: MeasuredExperiment,
  ) {
    return runReport(experimentResults, services, {
      project,
      query: { experiment },
      signal,
      identity: await openIdentity(services, toScopedProject(project, caller)),
      keptSince: keptSince(services, caller),
    })
  }

  return {
    readExperiment: chain(routes.readExperiment)(async call => {
      const { experiment, project } = await findExperiment(services, call)
      const { results } = await readResults(call, project, experiment)
      return { status: 200, body: { ...experiment, results } }
    }),

    updateExperiment: chain(routes.updateExperiment)(async call => {
      const { experiment, project } = await findExperiment(services, call)
      const findWinner = async (completed: MeasuredExperiment) =>
        (await readResults(call, project, completed)).winner
      return {
        status: 200,
        body: await changeStatus({ ...services, findWinner }, experiment, call.body),
      }
    }),
  }
}
