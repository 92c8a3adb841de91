import type { Now } from '#core/ports'
import { randomId } from '#core/secrets/tokens'
import { Entity } from '#core/state/entity'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import { toSeconds } from './token-pairs.ts'
import type { OAuthClient } from './types.ts'

/** How long a registration lives after the last sign-in with it. */
const LIFE_MS = 90 * DAY_MS
/**
 * How long one lives that nobody has signed in with. Anybody registers clients, of up to 21 KB each: a
 * hundred an hour for 90 days would be 4.5 GB of state from one address, and are 50 MB for a day, or 0.5 GB
 * from all addresses together (all_client_registrations). A sign-in follows within minutes.
 */
const UNUSED_MS = DAY_MS
const CLIENT_ID = /^aoc_[0-9a-f]{32}$/

/**
 * Clients that have registered themselves (RFC 7591). They are public: none has a secret. An item is bounded
 * by the fields of POST /oauth/register, and their number by the guards of that path and by their life.
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
      expires_at: toSeconds(now + UNUSED_MS),
    }
    await orUnavailable(clients.put(item).go())
    return { id, name: client_name ?? null, redirect_uris }
  }

  /** Null for an unknown or expired one. */
  async function find(id: string): Promise<OAuthClient | null> {
    const item = await read(id)
    return item && { id, name: item.client_name ?? null, redirect_uris: item.redirect_uris }
  }

  /**
   * Lets a client live longer, because a person has signed in with it. The first sign-in writes the new end,
   * and later ones write it at most once a day. Never throws: the next sign-in tries again.
   */
  async function keep(id: string): Promise<void> {
    try {
      const now = clock.now()
      const item = await read(id)
      const until = toSeconds(now + LIFE_MS)
      if (item === null || until - item.expires_at < toSeconds(DAY_MS)) return
      await clients.patch({ id }).set({ used_at: now, expires_at: until }).go()
    } catch {}
  }

  async function read(id: string) {
    if (!CLIENT_ID.test(id)) return null
    const { data } = await orUnavailable(clients.get({ id }).go({ consistent: true }))
    return data === null || data.expires_at * 1_000 <= clock.now() ? null : data
  }

  return { register, find, keep }
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
