import type { Caller } from '#core/access/caller'
import type { Demo } from '#core/access/demo'
import { ApiError } from '#core/errors'
import type { ExperimentStore } from '#core/experiments/store'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { quoted } from '#core/text/clean-text'
import type { ExperimentRecord } from '#schemas/experiments'
import type { Exchange } from './chain.ts'

export type FindExperimentServices = {
  experiments: Pick<ExperimentStore, 'byId'>
  projects: Pick<ProjectDirectory, 'byId'>
  demo: Pick<Demo, 'project'>
}

/**
 * Finds the experiment that the path of a request names, and its project. The audit log of the request then
 * names the project. Throws EXPERIMENT_NOT_FOUND, also for an experiment of a deleted project, and FORBIDDEN
 * for one of another account (docs/api/experiments.md). A demo session sees the experiments of the demo
 * project only.
 */
export async function findExperiment(
  { experiments, projects, demo }: FindExperimentServices,
  call: Exchange & { caller: Caller },
): Promise<{ experiment: ExperimentRecord; project: Project }> {
  const id = call.request.params.id ?? ''
  const experiment = await experiments.byId(id)
  const project = experiment && (await projects.byId(experiment.project_id))
  if (experiment === null || project === null || project.deleted_at !== null) {
    throw new ApiError(
      'EXPERIMENT_NOT_FOUND',
      `There is no experiment ${quoted(id)}. GET /experiments lists those of a project.`,
    )
  }
  const { account, credential } = call.caller
  const isOwn =
    credential.kind === 'demo' ? (await demo.project())?.id === project.id : project.account_id === account.id
  if (!isOwn) {
    throw new ApiError(
      'FORBIDDEN',
      'This experiment belongs to another account. GET /experiments lists those of your projects.',
    )
  }
  Object.assign(call, { project })
  return { experiment, project }
}
