import { Entity } from '#core/state/entity'
import { primaryIndex, type StateTable } from '#core/state/state-table'

/**
 * The project's own item decides its name, token and origins; the items of tokens and reservations only lead
 * to it.
 */
export function createProjectEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'project', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        display_name: { type: 'string' },
        project_token: { type: 'string', required: true },
        allowed_origins: { type: 'string', required: true },
        link_domains: { type: 'list', items: { type: 'string' }, required: true },
        source_scan_id: { type: 'string' },
        timezone: { type: 'string' },
        retention_days: { type: 'number' },
        bucket: { type: 'number', required: true },
        has_event_ids: { type: 'boolean' },
        has_links: { type: 'boolean' },
        has_linked_anonymous_ids: { type: 'boolean' },
        portfolio_id: { type: 'string' },
        created_at: { type: 'string', required: true },
        deleted_at: { type: 'string' },
        /**
         * Each change raises the version. A change is made only if the version is still the one that was
         * read.
         */
        version: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client, table },
  )
}

export function createTokenEntity({ client, table }: StateTable) {
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

/** The values that are unique within an account: names and primary origins of its projects. */
const RESERVATION_KINDS = ['name', 'origin'] as const
export type ReservationKind = (typeof RESERVATION_KINDS)[number]

/**
 * Reserves a name or an origin for a project; the project has it when its own item says so (reservations.ts).
 */
export function createReservationEntity({ client, table }: StateTable) {
  return new Entity(
    {
      // The name that is part of every stored key; reservations were called claims before.
      model: { service: 'footfall', entity: 'projectclaim', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        kind: { type: RESERVATION_KINDS, required: true },
        value: { type: 'string', required: true },
        project_id: { type: 'string', required: true },
        /** The version of the project from which on it has the value. */
        version: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id', 'kind'], sk: ['value'] }),
    },
    { client, table },
  )
}

/** The places of an account whose plan bounds its projects (places.ts). */
export function createPlacesEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'projectplaces', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        project_ids: { type: 'list', items: { type: 'string' }, required: true },
        /** Every change raises the version, and holds only for the version that it has read. */
        version: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: [] }),
    },
    { client, table },
  )
}
