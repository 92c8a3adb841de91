import { ApiError, unavailable } from '#core/errors'
import type { Now } from '#core/ports'
import type { ExperimentRecord, ExperimentStatus } from '#schemas/experiments'
import type { ExperimentStore, StatusChange } from './store.ts'

export type StatusServices = {
  experiments: Pick<ExperimentStore, 'byId' | 'changeStatus'>
  clock: Now
  /** Returns the key of the variant that has won so far, or null without any exposure. */
  findWinner(experiment: ExperimentRecord): Promise<string | null>
}

/** How often a change starts again after another request has changed the status first. */
const MAX_TRIES = 4

/**
 * Changes the status of an experiment, and returns the experiment (docs/api/experiments.md): an active or
 * paused one may get every status, a completed one none. The status that it has already changes nothing.
 * `winner` counts only with `completed`; without it the results decide. Throws INVALID_EXPERIMENT_STATUS,
 * INVALID_VARIANTS if `winner` is not one of its variants, or EXPERIMENT_NOT_FOUND if it was deleted in the
 * meantime.
 */
export async function changeStatus(
  services: StatusServices,
  experiment: ExperimentRecord,
  { status, winner }: { status: ExperimentStatus; winner?: string | undefined },
): Promise<ExperimentRecord> {
  const { experiments } = services
  requireVariant(experiment, winner)
  let current: ExperimentRecord | null = experiment
  for (let tries = 0; tries < MAX_TRIES && current !== null; tries++) {
    if (current.status === 'completed') {
      throw new ApiError(
        'INVALID_EXPERIMENT_STATUS',
        'The experiment is completed, which is final. Create a new experiment to test again.',
      )
    }
    if (current.status === status) return current
    const changed = await experiments.changeStatus(current, await changeOf(services, current, status, winner))
    if (changed !== null) return changed
    current = await experiments.byId(experiment.id)
  }
  if (current === null) throw new ApiError('EXPERIMENT_NOT_FOUND')
  throw unavailable(
    'Several requests change this experiment at the same time. Send the same request again in a second.',
    1,
  )
}

async function changeOf(
  { clock, findWinner }: StatusServices,
  experiment: ExperimentRecord,
  status: ExperimentStatus,
  winner: string | undefined,
): Promise<StatusChange> {
  const updated_at = new Date(clock.now()).toISOString()
  if (status !== 'completed') return { status, winner: null, completed_at: null, updated_at }
  const completed = { status, completed_at: updated_at, updated_at }
  return { ...completed, winner: winner ?? (await findWinner({ ...experiment, ...completed })) }
}

function requireVariant({ variants }: ExperimentRecord, winner: string | undefined): void {
  if (winner === undefined || variants.some(({ key }) => key === winner)) return
  const keys = variants.map(({ key }) => `\`${key}\``).join(', ')
  throw new ApiError('INVALID_VARIANTS', `Field \`winner\` must be a variant of the experiment: ${keys}.`)
}
