import { Entity } from 'electrodb'
import { primaryIndex, type StateTable } from '#core/state-table'

/** The project itself decides what is true of it; tokens and claims only lead to it. */
export function projectEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'project', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        project_token: { type: 'string', required: true },
        allowed_origins: { type: 'string', required: true },
        link_domains: { type: 'list', items: { type: 'string' }, required: true },
        source_scan_id: { type: 'string' },
        bucket: { type: 'number', required: true },
        has_event_ids: { type: 'boolean' },
        created_at: { type: 'string', required: true },
        deleted_at: { type: 'string' },
        /** Every change raises it and asks for the one it has read. */
        version: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client, table },
  )
}

export function tokenEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'projecttoken', version: '1' },
      attributes: {
        project_token: { type: 'string', required: true },
        project_id: { type: 'string', required: true },
      },
      indexes: primaryIndex({ pk: ['project_token'], sk: [] }),
    },
    { client, table },
  )
}

/** What is unique within an account: its projects' names and primary origins. */
const RESERVATION_KINDS = ['name', 'origin'] as const
export type ReservationKind = (typeof RESERVATION_KINDS)[number]

/** Says which project wants a name or an origin; it has it once its own item says so (core/projects/reservations.ts). */
export function reservationEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'projectclaim', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        kind: { type: RESERVATION_KINDS, required: true },
        value: { type: 'string', required: true },
        project_id: { type: 'string', required: true },
        /** The version of the project that is to have it. */
        version: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id', 'kind'], sk: ['value'] }),
    },
    { client, table },
  )
}
