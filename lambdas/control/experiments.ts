import type { ExperimentStore } from '#core/experiments/store'
import { parseVariants } from '#core/experiments/variants'
import type { accountChain } from '#lambdas/chain/account-chain'
import { type FindExperimentServices, findExperiment } from '#lambdas/chain/find-experiment'
import { routes } from '#schemas/routes'

export type ExperimentServices = FindExperimentServices & {
  experiments: Pick<ExperimentStore, 'list' | 'create' | 'remove'>
}

/**
 * Experiments without their results (docs/api/experiments.md); lambdas/reports/experiments.ts has the routes
 * that need the lake.
 */
export function experimentEndpoints(services: ExperimentServices, chain: ReturnType<typeof accountChain>) {
  const { experiments } = services
  return {
    listExperiments: chain(routes.listExperiments)(async ({ project }) => ({
      status: 200,
      body: { experiments: await experiments.list(project) },
    })),

    createExperiment: chain(routes.createExperiment)(async ({ project, body }) => {
      const { name, goal_event, weights, smallest_effect, planned_size } = body
      const variants = parseVariants(body.variants, weights)
      const experiment = { name, variants, goal_event, smallest_effect, planned_size }
      return { status: 201, body: await experiments.create(project, experiment) }
    }),

    deleteExperiment: chain(routes.deleteExperiment)(async call => {
      const { experiment } = await findExperiment(services, call)
      await experiments.remove(experiment)
      return { status: 200, body: { ok: true, deleted: experiment.id } }
    }),
  }
}
