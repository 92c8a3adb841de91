import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Entity } from 'electrodb'
import type { Clock } from '#core/ports'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state-table'
import type { Account } from './caller.ts'

export type AccountStoreServices = StateTable & { clock: Clock }

/** The form of an API key. A text of another form is unknown without a read of the table. */
const API_KEY = /^aak_[0-9a-f]{64}$/

/**
 * Accounts and their API keys. Only the SHA-256 of a key is stored: in the account's item, which decides, and as the key
 * of a key record that leads to the account.
 */
export function createAccountStore({ clock, ...state }: AccountStoreServices) {
  const accounts = createAccountEntity(state)
  const keys = createApiKeyEntity(state)

  async function create(owner: Pick<Account, 'email' | 'tier' | 'complimentary'>): Promise<Account> {
    const account = {
      id: `acc_${randomBytes(8).toString('hex')}`,
      created_at: new Date(clock.now()).toISOString(),
      ...owner,
    }
    await orUnavailable(accounts.create(account).go())
    return account
  }

  async function byId(id: string): Promise<Account | null> {
    const item = await find(id)
    return item === null ? null : toAccount(item)
  }

  /** Replaces the account's API key; the old key stops at once. Nobody can read a key again. Throws without an account. */
  async function issueApiKey(accountId: string): Promise<string> {
    const account = await find(accountId)
    const key = `aak_${randomBytes(32).toString('hex')}`
    const hash = sha256(key)
    // The key record comes first. After a crash in between, no account has its hash, so the key does not work.
    await orUnavailable(keys.create({ hash, account_id: accountId }).go())
    if (!(await conditionHeld(accounts.patch({ id: accountId }).set({ api_key_hash: hash }).go()))) {
      throw new Error(`There is no account ${accountId}.`)
    }
    if (account?.api_key_hash !== undefined)
      await orUnavailable(keys.delete({ hash: account.api_key_hash }).go())
    return key
  }

  /** Returns the account of an API key, or null for an unknown or replaced key. */
  async function byApiKey(key: string): Promise<Account | null> {
    if (!API_KEY.test(key)) return null
    const hash = sha256(key)
    const { data: keyRecord } = await orUnavailable(keys.get({ hash }).go({ consistent: true }))
    const item = keyRecord === null ? null : await find(keyRecord.account_id)
    return item?.api_key_hash !== undefined && isSameHash(item.api_key_hash, hash) ? toAccount(item) : null
  }

  async function hasApiKey(accountId: string): Promise<boolean> {
    return (await find(accountId))?.api_key_hash !== undefined
  }

  async function find(id: string) {
    const { data } = await orUnavailable(accounts.get({ id }).go({ consistent: true }))
    return data
  }

  return { create, byId, issueApiKey, byApiKey, hasApiKey }
}

export type AccountStore = ReturnType<typeof createAccountStore>

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Compares two hashes in constant time. */
function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function toAccount({ id, email, tier, complimentary, created_at }: Account): Account {
  return { id, email, tier, complimentary, created_at }
}

function createAccountEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'account', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        email: { type: 'string', required: true },
        tier: { type: ['free', 'pro'] as const, required: true },
        complimentary: { type: 'boolean', required: true },
        created_at: { type: 'string', required: true },
        api_key_hash: { type: 'string' },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client, table },
  )
}

function createApiKeyEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'apikey', version: '1' },
      attributes: {
        hash: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
      },
      indexes: primaryIndex({ pk: ['hash'], sk: [] }),
    },
    { client, table },
  )
}
