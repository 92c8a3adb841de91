import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Entity } from 'electrodb'
import type { Clock } from '#core/ports'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state-table'
import type { Account } from './caller.ts'

export type AccountStoreServices = StateTable & { clock: Clock }

/** The form of an API key; another text is unknown without asking the table. */
const API_KEY = /^aak_[0-9a-f]{64}$/

/**
 * Accounts and their API keys. Of a key only the SHA-256 is kept: in the account, which decides, and as the name of
 * an item that leads from it to the account.
 */
export function createAccountStore({ clock, ...state }: AccountStoreServices) {
  const accounts = accountEntity(state)
  const keys = apiKeyEntity(state)

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
    return item === null ? null : accountOf(item)
  }

  /** A new API key, in place of the old one, which is dead at once. It cannot be read again. Throws for no account. */
  async function issueApiKey(accountId: string): Promise<string> {
    const old = await find(accountId)
    const key = `aak_${randomBytes(32).toString('hex')}`
    const hash = sha256(key)
    // Before the account names it: a crash in between leaves an item that leads nowhere.
    await orUnavailable(keys.create({ hash, account_id: accountId }).go())
    if (!(await conditionHeld(accounts.patch({ id: accountId }).set({ api_key_hash: hash }).go()))) {
      throw new Error(`there is no account ${accountId}`)
    }
    if (old?.api_key_hash !== undefined) await orUnavailable(keys.delete({ hash: old.api_key_hash }).go())
    return key
  }

  /** The account of an API key, or null when there is none or the key was replaced. */
  async function byApiKey(key: string): Promise<Account | null> {
    if (!API_KEY.test(key)) return null
    const hash = sha256(key)
    const { data: lead } = await orUnavailable(keys.get({ hash }).go({ consistent: true }))
    const item = lead === null ? null : await find(lead.account_id)
    return item?.api_key_hash !== undefined && isSame(item.api_key_hash, hash) ? accountOf(item) : null
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
function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function accountOf({ id, email, tier, complimentary, created_at }: Account): Account {
  return { id, email, tier, complimentary, created_at }
}

function accountEntity({ client, table }: StateTable) {
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

function apiKeyEntity({ client, table }: StateTable) {
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
