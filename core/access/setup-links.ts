import { randomBytes } from 'node:crypto'
import type { Now } from '#core/ports'
import { sha256 } from '#core/secrets/tokens'
import { Entity } from '#core/state/entity'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'

/** How long a setup link works, s. */
export const SETUP_LINK_SECONDS = 60 * 60
const TOKEN = /^[\w-]{43}$/

/**
 * One-time links that give the owner's account a browser session, for the first sign-in and for an owner who
 * is locked out. Only who runs the service can make one. The state table keeps the SHA-256 of a link's token.
 */
export function createSetupLinks({ client, table, clock }: StateTable & { clock: Now }) {
  const links = setupLinkEntity({ client, table })

  /** The token of a new link for the account. */
  async function issue(accountId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    const expires_at = Math.floor(clock.now() / 1_000) + SETUP_LINK_SECONDS
    await orUnavailable(links.put({ hash: sha256(token), account_id: accountId, expires_at }).go())
    return token
  }

  /** Whether the link still works; it goes on working. */
  async function isValid(token: string): Promise<boolean> {
    if (!TOKEN.test(token)) return false
    const { data } = await orUnavailable(links.get({ hash: sha256(token) }).go({ consistent: true }))
    return data !== null && data.expires_at * 1_000 > clock.now()
  }

  /** The account of a link, which works no more; null for an unknown, used or expired one. */
  async function redeem(token: string): Promise<string | null> {
    if (!TOKEN.test(token)) return null
    const { data } = await orUnavailable(links.delete({ hash: sha256(token) }).go({ response: 'all_old' }))
    const link = data as { account_id?: string; expires_at: number } | null
    return link?.account_id !== undefined && link.expires_at * 1_000 > clock.now() ? link.account_id : null
  }

  return { issue, isValid, redeem }
}

export type SetupLinks = ReturnType<typeof createSetupLinks>

function setupLinkEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'setuplink', version: '1' },
      attributes: {
        hash: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['hash'], sk: [] }),
    },
    { client, table },
  )
}
