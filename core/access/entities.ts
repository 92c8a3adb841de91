import type { EntityItem } from 'electrodb'
import { Entity } from '#core/state/entity'
import { primaryIndex, type StateTable } from '#core/state/state-table'

/**
 * The items of sessions. `expires_at` is the table's TTL attribute, in Unix seconds: DynamoDB deletes the
 * item some time after it. Readers compare `valid_until` (Unix ms) themselves.
 */

const client = {
  client_type: { type: 'string', required: true },
  client_name: { type: 'string' },
  client_instance_id: { type: 'string' },
  label: { type: 'string' },
  scopes: { type: 'list', items: { type: 'string' }, required: true },
} as const

export function authRequestEntity({ client: dynamo, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'authrequest', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        ...client,
        mode: { type: ['interactive', 'detached'] as const, required: true },
        is_claim: { type: 'boolean', required: true },
        status: { type: ['pending', 'approved', 'exchanged', 'revoked'] as const, required: true },
        approval_code: { type: 'string', required: true },
        /** How often the human has typed the end of the code. */
        code_tries: { type: 'number' },
        country: { type: 'string' },
        network: { type: 'string' },
        callback_url: { type: 'string' },
        code_challenge: { type: 'string' },
        requires_existing_account: { type: 'boolean', required: true },
        /** Hash of the poll token, or of the claim token. */
        poll_hash: { type: 'string', required: true },
        poll_public_key: { type: 'string', required: true },
        account_id: { type: 'string' },
        approved_email: { type: 'string' },
        exchange_hash: { type: 'string' },
        /** The exchange code, which only the holder of the poll token can open. */
        exchange_sealed: { type: 'string' },
        /** Names the one exchange that has won. */
        exchange_id: { type: 'string' },
        /** Unix ms. */
        exchanged_at: { type: 'number' },
        /** The session that it gets. */
        session_id: { type: 'string' },
        /** The fields that only a request by GET /oauth/authorize has (types.ts). */
        oauth: {
          type: 'map',
          properties: {
            client_id: { type: 'string', required: true },
            issuer: { type: 'string', required: true },
            state: { type: 'string' },
            resource: { type: 'string' },
          },
        },
        /** Somebody has used the authorization code a second time. */
        is_reused: { type: 'boolean' },
        created_at: { type: 'number', required: true },
        valid_until: { type: 'number', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client: dynamo, table },
  )
}

export type AuthRequestItem = EntityItem<ReturnType<typeof authRequestEntity>>

/** An agent session lies in the partition of its account, so that one query lists them. */
export function agentSessionEntity({ client: dynamo, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'agentsession', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        ...client,
        is_demo: { type: 'boolean', required: true },
        /** The MCP client that may refresh it. */
        oauth_client_id: { type: 'string' },
        created_at: { type: 'number', required: true },
        last_used_at: { type: 'number', required: true },
        revoked_at: { type: 'number' },
        refresh_hash: { type: 'string' },
        refresh_valid_until: { type: 'number', required: true },
        /**
         * The access tokens that still live, oldest first, each with the refresh token that it was given for.
         */
        pairs: {
          type: 'list',
          required: true,
          items: {
            type: 'map',
            properties: {
              access_hash: { type: 'string', required: true },
              access_valid_until: { type: 'number', required: true },
              /** Hash of the refresh token that was exchanged for this pair; absent for the first pair. */
              from_hash: { type: 'string' },
              /**
               * What the pair was derived with, beside that refresh token. Dropped after the grace period.
               */
              nonce: { type: 'string' },
              rotated_at: { type: 'number' },
              refresh_valid_until: { type: 'number', required: true },
            },
          },
        },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: ['id'] }),
    },
    { client: dynamo, table },
  )
}

/**
 * Says that a refresh token was exchanged, for as long as it would have lived: a reuse of it revokes the
 * session.
 */
export function usedRefreshTokenEntity({ client: dynamo, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'usedrefreshtoken', version: '1' },
      attributes: {
        hash: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        session_id: { type: 'string', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['hash'], sk: [] }),
    },
    { client: dynamo, table },
  )
}

export function browserSessionEntity({ client: dynamo, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'browsersession', version: '1' },
      attributes: {
        hash: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        created_at: { type: 'number', required: true },
        valid_until: { type: 'number', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['hash'], sk: [] }),
    },
    { client: dynamo, table },
  )
}
