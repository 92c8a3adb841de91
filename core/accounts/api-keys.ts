import { randomBytes } from 'node:crypto'
import type { Now } from '#core/ports'
import { isSame, sha256 } from '#core/secrets/tokens'
import { createLookupCache } from '#core/state/lookup-cache'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import { type Account, apiKeyIdOfHash } from './account.ts'
import { ACCOUNT_ID_PREFIX, type AccountItems, createAccountEntity, isLive, toAccount } from './items.ts'

export type ApiKeyServices = StateTable & { clock: Now; items: Pick<AccountItems, 'find'> }

/**
 * The form of an API key: the account's id, so that one read finds the account, and 256 random bits. A text
 * of another form is unknown without a read of the table.
 */
const API_KEY = /^aak_([0-9a-f]{16})[0-9a-f]{64}$/
/** A replaced key is dead in every process after this time. */
const KEY_CACHE = { foundMs: 5_000, missingMs: 1_000, maxEntries: 10_000 }

/** The API keys of accounts. Only the SHA-256 of a key is stored, in the account's item. */
export function createApiKeys({ clock, items, ...state }: ApiKeyServices) {
  const accounts = createAccountEntity(state)
  const cache = createLookupCache(clock, lookUpKey, KEY_CACHE)

  /**
   * Replaces the account's API key; the old key stops at once. Nobody can read a key again. Throws without an
   * account.
   */
  async function issueApiKey(accountId: string): Promise<string> {
    const key = `aak_${accountId.slice(ACCOUNT_ID_PREFIX.length)}${randomBytes(32).toString('hex')}`
    const live = accounts
      .patch({ id: accountId })
      .set({ api_key_hash: sha256(key) })
      .where(({ deleted_at }, { notExists }) => notExists(deleted_at))
    if (!(await conditionHeld(live.go()))) throw new Error(`There is no account ${accountId}.`)
    cache.clear()
    return key
  }

  /** Returns the account of an API key, or null for an unknown or replaced key. Cached for at most 5 s. */
  async function byApiKey(key: string): Promise<Account | null> {
    return API_KEY.test(key) ? cache.get(key) : null
  }

  async function lookUpKey(key: string): Promise<Account | null> {
    const hash = sha256(key)
    const item = await items.find(`${ACCOUNT_ID_PREFIX}${API_KEY.exec(key)?.[1]}`)
    return isLive(item) && isSame(item.api_key_hash ?? '', hash) ? toAccount(item) : null
  }

  async function hasApiKey(accountId: string): Promise<boolean> {
    return (await items.find(accountId))?.api_key_hash !== undefined
  }

  /**
   * Whether the account is there and the id is that of its key now. Not cached: a replaced key is dead at
   * once.
   */
  async function isLiveKey(accountId: string, keyId: string): Promise<boolean> {
    const item = await items.find(accountId)
    return isLive(item) && item.api_key_hash !== undefined && isSame(apiKeyIdOfHash(item.api_key_hash), keyId)
  }

  return { issueApiKey, byApiKey, hasApiKey, isLiveKey, forgetKeys: cache.clear }
}
