import type { AccountStore } from '#core/accounts/store'
import type { Now } from '#core/ports'
import { csrfToken, randomSecret, sha256 } from '#core/secrets/tokens'
import { createLookupCache } from '#core/state/lookup-cache'
import { readTogether } from '#core/state/read-items'
import { type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import { browserSessionEntity } from './entities.ts'
import type { BrowserSession, BrowserSessions } from './types.ts'

const LIFE_MS = 30 * 86_400_000
const CACHE = { foundMs: 5_000, missingMs: 1_000, maxEntries: 10_000 }
/** The account's id, so that one request finds session and account, and 256 random bits. */
const TOKEN = /^aab_([0-9a-f]{16})[0-9a-f]{64}$/
const SESSION_ID = /^brs_([0-9a-f]{64})$/

/** Signed-in browsers: the cookie holds the token, the table its hash. */
export function createBrowserSessionStore({
  clock,
  accounts,
  ...state
}: StateTable & {
  clock: Now
  accounts: Pick<AccountStore, 'itemRead' | 'endBrowsers'>
}): BrowserSessions {
  const sessions = browserSessionEntity(state)
  const cache = createLookupCache(clock, lookUp, CACHE)

  async function create(accountId: string, from = 0): Promise<{ token: string; expires_at: number }> {
    const token = `aab_${accountId.slice('acc_'.length)}${randomSecret()}`
    const now = Math.max(clock.now(), from)
    const valid_until = now + LIFE_MS
    await orUnavailable(
      sessions
        .put({
          hash: sha256(token),
          account_id: accountId,
          created_at: now,
          valid_until,
          expires_at: Math.ceil(valid_until / 1_000),
        })
        .go(),
    )
    return { token, expires_at: valid_until }
  }

  async function byToken(token: string): Promise<BrowserSession | null> {
    if (!TOKEN.test(token)) return null
    const session = await cache.get(token)
    return session !== null && session.expires_at > clock.now() ? session : null
  }

  async function lookUp(token: string): Promise<BrowserSession | null> {
    const hash = sha256(token)
    const found = await read(hash, `acc_${TOKEN.exec(token)?.[1]}`)
    if (found === null) return null
    const { account, created_at, valid_until } = found
    return { id: `brs_${hash}`, account, csrf_token: csrfToken(token), created_at, expires_at: valid_until }
  }

  async function isLive(accountId: string, id: string): Promise<boolean> {
    const hash = SESSION_ID.exec(id)?.[1]
    const found = hash === undefined ? null : await read(hash, accountId)
    return found !== null && found.valid_until > clock.now()
  }

  /** The session and its account as they are now; null when it is not of the account, or was ended. */
  async function read(hash: string, accountId: string) {
    const { Key } = sessions.get({ hash }).params<{ Key: ItemKey }>()
    const parse = (Item?: Record<string, unknown>) =>
      Item === undefined ? null : sessions.parse({ Item }).data
    const [data, account] = await readTogether(state, { Key, parse }, accounts.itemRead(accountId))
    if (data === null || account === null || account.id !== data.account_id) return null
    return data.created_at < account.browsers_since ? null : { ...data, account }
  }

  async function end(token: string): Promise<void> {
    if (TOKEN.test(token)) await orUnavailable(sessions.delete({ hash: sha256(token) }).go())
    cache.clear()
  }

  async function rotate(oldToken: string | null, accountId: string) {
    if (oldToken !== null) await end(oldToken)
    return create(accountId)
  }

  async function endOthers(token: string, accountId: string) {
    const since = await accounts.endBrowsers(accountId)
    await end(token)
    return create(accountId, since)
  }

  return { create: accountId => create(accountId), byToken, isLive, rotate, end, endOthers }
}
