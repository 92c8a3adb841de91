import { randomBytes } from 'node:crypto'
import type { EntityItem } from 'electrodb'
import { ApiError } from '#core/errors'
import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { readAllKeys } from '#core/state/read-items'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import { compareText } from '#core/text/compare-text'
import type { Variant } from '#schemas/assignment'
import type { ExperimentRecord } from '#schemas/experiments'
import { DEFAULT_SMALLEST_EFFECT } from '#schemas/smallest-effect'
import { createExperimentEntity, createExperimentIdEntity } from './entities.ts'

export type NewExperiment = {
  name: string
  variants: Variant[]
  goal_event: string
  smallest_effect?: number | undefined
  planned_size?: number | undefined
}

/** What a change of the status writes. */
export type StatusChange = Pick<ExperimentRecord, 'status' | 'winner' | 'completed_at' | 'updated_at'>

type ExperimentItem = EntityItem<ReturnType<typeof createExperimentEntity>>

/** An id of another form is unknown without a read of the table, whose keys have a limited length. */
const EXPERIMENT_ID = /^exp_\w{1,32}$/

/**
 * Experiments by docs/api/experiments.md. An experiment is one item under its project and name. A second item
 * leads from its id to it; it is written first and deleted last, so that every experiment is found by its id.
 */
export function createExperimentStore({ clock, ...state }: StateTable & { clock: Now }) {
  const experiments = createExperimentEntity(state)
  const ids = createExperimentIdEntity(state)

  /** Creates an active experiment. Throws EXPERIMENT_NAME_EXISTS. */
  async function create(
    { id: project_id, account_id }: Pick<Project, 'id' | 'account_id'>,
    request: NewExperiment,
  ): Promise<ExperimentRecord> {
    const id = `exp_${randomBytes(8).toString('hex')}`
    const item = { ...request, ...timesOf(clock.now()), id, project_id, account_id }
    if (await write(item)) return toRecord(item)
    await forgetId(item)
    throw new ApiError('EXPERIMENT_NAME_EXISTS')
  }

  /**
   * Creates an experiment with this id and time of creation (Unix ms), unless the project has one of its
   * name.
   */
  async function ensure(
    { id: project_id, account_id }: Pick<Project, 'id' | 'account_id'>,
    { createdAt, ...experiment }: NewExperiment & { id: string; createdAt: number },
  ): Promise<void> {
    await write({ ...experiment, ...timesOf(createdAt), project_id, account_id })
  }

  /** Returns false if the project has an experiment of the name. */
  async function write(item: ExperimentItem): Promise<boolean> {
    const { id, project_id, name } = item
    await orUnavailable(ids.put({ id, project_id, name }).go())
    return conditionHeld(experiments.create(item).go())
  }

  /** The experiments of a project, newest first. */
  async function list({ id }: Pick<Project, 'id'>): Promise<ExperimentRecord[]> {
    const items = await readAll(id)
    return items
      .map(toRecord)
      .toSorted((a, b) => compareText(b.created_at, a.created_at) || compareText(a.name, b.name))
  }

  /** Returns the experiment of an id, or null. Its project may be deleted. */
  async function byId(id: string): Promise<ExperimentRecord | null> {
    if (!EXPERIMENT_ID.test(id)) return null
    const { data: found } = await orUnavailable(ids.get({ id }).go({ consistent: true }))
    if (found === null) return null
    const { project_id, name } = found
    const { data } = await orUnavailable(experiments.get({ project_id, name }).go({ consistent: true }))
    return data?.id === id ? toRecord(data) : null
  }

  /** Returns the changed experiment, or null if it was deleted or its status has changed in the meantime. */
  async function changeStatus(
    { project_id, name, ...before }: ExperimentRecord,
    { status, winner, completed_at, updated_at }: StatusChange,
  ): Promise<ExperimentRecord | null> {
    const change = experiments
      .patch({ project_id, name })
      .set({
        status,
        updated_at,
        ...(winner !== null && { winner }),
        ...(completed_at !== null && { completed_at }),
      })
      .where((item, { eq }) => `${eq(item.id, before.id)} AND ${eq(item.status, before.status)}`)
    if (!(await conditionHeld(change.go()))) return null
    return { project_id, name, ...before, status, winner, completed_at, updated_at, ended_at: completed_at }
  }

  async function remove(experiment: Pick<ExperimentRecord, 'id' | 'project_id' | 'name'>): Promise<void> {
    const { id, project_id, name } = experiment
    const removal = experiments.delete({ project_id, name }).where((item, { eq }) => eq(item.id, id))
    await conditionHeld(removal.go())
    await forgetId(experiment)
  }

  /**
   * The keys of all items of a project's experiments. The last ones are those by which the others are found.
   */
  async function itemKeys(projectId: string): Promise<ItemKey[]> {
    const items = await readAll(projectId)
    const keys = items.map(({ id }) => ({ id }))
    const found = await readAllKeys(keys, left => ids.get(left).go({ consistent: true, concurrency: 4 }))
    return [
      // The id of the demo's experiment may lead to another project by now.
      ...found
        .filter(({ project_id }) => project_id === projectId)
        .map(({ id }) => ids.get({ id }).params<{ Key: ItemKey }>().Key),
      ...items.map(
        ({ project_id, name }) => experiments.get({ project_id, name }).params<{ Key: ItemKey }>().Key,
      ),
    ]
  }

  async function forgetId({ id, project_id }: Pick<ExperimentRecord, 'id' | 'project_id'>): Promise<void> {
    const removal = ids.delete({ id }).where((item, { eq }) => eq(item.project_id, project_id))
    await conditionHeld(removal.go())
  }

  async function readAll(project_id: string): Promise<ExperimentItem[]> {
    const { data } = await orUnavailable(
      experiments.query.main({ project_id }).go({ consistent: true, pages: 'all' }),
    )
    return data
  }

  return { create, ensure, list, byId, changeStatus, remove, itemKeys }
}

export type ExperimentStore = ReturnType<typeof createExperimentStore>

function timesOf(createdAt: number) {
  const created_at = new Date(createdAt).toISOString()
  return { status: 'active' as const, created_at, updated_at: created_at }
}

/** The record of an item, with its fields in the order of docs/api/experiments.md. */
function toRecord(item: ExperimentItem): ExperimentRecord {
  const { id, project_id, account_id, name, variants, goal_event, status, created_at, updated_at } = item
  const { winner = null, completed_at = null, planned_size = null } = item
  const { smallest_effect = planned_size === null ? DEFAULT_SMALLEST_EFFECT : null } = item
  const fixed = { id, project_id, account_id, name, variants, goal_event }
  const times = { created_at, updated_at, completed_at, started_at: created_at, ended_at: completed_at }
  return { ...fixed, status, winner, ...times, smallest_effect, planned_size }
}
