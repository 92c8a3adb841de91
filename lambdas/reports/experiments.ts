import type { Caller } from '#core/access/caller'
import { changeStatus } from '#core/experiments/change-status'
import { experimentResults, type MeasuredExperiment } from '#core/experiments/results'
import type { ExperimentStore } from '#core/experiments/store'
import { type IdentityViewServices, openIdentity } from '#core/identity/identity-view'
import type { Limits } from '#core/limits/limit-state'
import type { Project } from '#core/projects/project'
import { caveatsOf } from '#core/reports/run/caveats'
import { createNotes } from '#core/reports/run/notes'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { engineFor } from '#core/reports/run/statement-log'
import type { accountChain } from '#lambdas/chain/account-chain'
import type { Exchange } from '#lambdas/chain/chain'
import { type FindExperimentServices, findExperiment } from '#lambdas/chain/find-experiment'
import { routes } from '#schemas/routes'
import { readerOf } from './reader-of.ts'
import { keptSince, type RetentionServices, toScopedProject } from './visible-events.ts'

export type ExperimentResultsServices = FindExperimentServices &
  ReportServices &
  IdentityViewServices &
  RetentionServices & {
    experiments: Pick<ExperimentStore, 'changeStatus'>
    limits: Pick<Limits, 'guestOf'>
  }

/**
 * The routes of one experiment that read its results (docs/api/experiments.md): by request, and to find the
 * winner.
 */
export function experimentResultsEndpoints(
  services: ExperimentResultsServices,
  chain: ReturnType<typeof accountChain>,
) {
  async function readResults(
    call: Exchange & { caller: Caller },
    project: Project,
    experiment: MeasuredExperiment,
  ) {
    const { caller, signal } = call
    const reader = { ...readerOf(services, { ...call, project }), order: 0 }
    const notes = createNotes()
    const reading = { ...services, notes, engine: engineFor(services.engine, reader) }
    const found = await runReport(experimentResults, reading, {
      project,
      query: { experiment },
      signal,
      identity: await openIdentity(reading, toScopedProject(project, caller)),
      keptSince: keptSince(services, caller),
    })
    return { ...found, notes }
  }

  return {
    readExperiment: chain(routes.readExperiment)(async function answerExperiment(call) {
      const { experiment, project } = await findExperiment(services, call)
      const { results, notes } = await readResults(call, project, experiment)
      const body = { ...experiment, results }
      return { status: 200, body: { ...body, ...caveatsOf(notes) } }
    }),

    updateExperiment: chain(routes.updateExperiment)(async function answerUpdate(call) {
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
