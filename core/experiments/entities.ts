import { Entity } from '#core/state/entity'
import { primaryIndex, type StateTable } from '#core/state/state-table'
import { EXPERIMENT_STATUSES } from '#schemas/experiments'

/** The name is in the key, so it is unique in its project. */
export function createExperimentEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'experiment', version: '1' },
      attributes: {
        project_id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        variants: {
          type: 'list',
          required: true,
          items: {
            type: 'map',
            properties: {
              key: { type: 'string', required: true },
              weight: { type: 'number', required: true },
            },
          },
        },
        goal_event: { type: 'string', required: true },
        status: { type: EXPERIMENT_STATUSES, required: true },
        winner: { type: 'string' },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        completed_at: { type: 'string' },
        smallest_effect: { type: 'number' },
        planned_size: { type: 'number' },
      },
      indexes: primaryIndex({ pk: ['project_id'], sk: ['name'] }),
    },
    { client, table },
  )
}

/** Leads from an id to the experiment, which has the id too. Without such an experiment it means nothing. */
export function createExperimentIdEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'experimentid', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        project_id: { type: 'string', required: true },
        name: { type: 'string', required: true },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client, table },
  )
}
