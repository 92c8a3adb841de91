import { Entity } from '#core/entity'
import type { Now } from '#core/ports'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state-table'
import { DAY_MS } from '#core/time'
import { toSeconds } from './token-pairs.ts'
import { randomId } from './tokens.ts'
import type { OAuthClient } from './types.ts'

/** How long a registration lives that no sign-in uses. */
const LIFE_MS = 90 * DAY_MS
const CLIENT_ID = /^aoc_[0-9a-f]{32}$/

/**
 * Clients that have registered themselves (RFC 7591). They are public: none has a secret. An item is bounded
 * by the fields of POST /oauth/register, and their number by the guard of that path and by their life.
 */
export function createClientRegistry({ client, table, clock }: StateTable & { clock: Now }) {
  const clients = registeredClientEntity({ client, table })

  async function register(wanted: {
    client_name?: string | undefined
    redirect_uris: readonly string[]
  }): Promise<OAuthClient> {
    const { client_name, redirect_uris } = wanted
    const id = randomId('aoc', 16)
    const now = clock.now()
    const item = {
      id,
      redirect_uris: [...redirect_uris],
      ...(client_name !== undefined && { client_name }),
      used_at: now,
      expires_at: toSeconds(now + LIFE_MS),
    }
    await orUnavailable(clients.create(item).go())
    return { id, name: client_name ?? null, redirect_uris }
  }

  /** Null for an unknown or expired one. Each day of use renews the registration. */
  async function find(id: string): Promise<OAuthClient | null> {
    if (!CLIENT_ID.test(id)) return null
    const now = clock.now()
    const { data } = await orUnavailable(clients.get({ id }).go({ consistent: true }))
    if (data === null || data.expires_at * 1_000 <= now) return null
    if (now - data.used_at > DAY_MS) {
      await clients
        .patch({ id })
        .set({ used_at: now, expires_at: toSeconds(now + LIFE_MS) })
        .go()
        // A later sign-in renews it too.
        .catch(() => {})
    }
    return { id, name: data.client_name ?? null, redirect_uris: data.redirect_uris }
  }

  return { register, find }
}

export type ClientRegistry = ReturnType<typeof createClientRegistry>

function registeredClientEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'registeredclient', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        client_name: { type: 'string' },
        redirect_uris: { type: 'list', items: { type: 'string' }, required: true },
        used_at: { type: 'number', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client, table },
  )
}
