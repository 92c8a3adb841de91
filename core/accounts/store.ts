import { randomBytes } from 'node:crypto'
import { Entity } from 'electrodb'
import { createDeletionList } from '#core/deletion/deletion-list'
import { createLookupCache } from '#core/lookup-cache'
import type { Clock } from '#core/ports'
import type { ItemRead } from '#core/read-items'
import { isSame, sha256 } from '#core/sessions/tokens'
import { conditionHeld, type ItemKey, orUnavailable, primaryIndex, type StateTable } from '#core/state-table'
import type { Account, Tier } from './caller.ts'
import { createEarlierAccounts } from './earlier-accounts.ts'

export type AccountStoreServices = StateTable & { clock: Clock }

/**
 * The form of an API key: the account's id, so that one read finds the account, and 256 random bits. Keys of the first
 * edition have no id. A text of another form is unknown without a read of the table.
 */
const API_KEY = /^aak_([0-9a-f]{16})?[0-9a-f]{64}$/
const ID_PREFIX = 'acc_'
/** The address of a deleted account is forgotten. */
const DELETED_EMAIL = 'deleted@invalid'
/** One partition for the ids of all accounts. */
const LIST = 'accounts'
const PAGE = 25
/** A replaced key is dead in every process after this time. */
const KEY_CACHE = { foundMs: 5_000, missingMs: 1_000, maxEntries: 10_000 }

/**
 * Accounts and their API keys. Only the SHA-256 of a key is stored, in the account's item. The keys of the first edition
 * also have a key record, which leads from the hash to the account.
 */
export function createAccountStore({ clock, ...state }: AccountStoreServices) {
  const accounts = createAccountEntity(state)
  const keys = createApiKeyEntity(state)
  const deletions = createDeletionList({ ...state, clock })
  const keyCache = createLookupCache(clock, lookUpKey, KEY_CACHE)

  async function create(owner: Pick<Account, 'email' | 'tier' | 'complimentary'>): Promise<Account> {
    const item = {
      id: `${ID_PREFIX}${randomBytes(8).toString('hex')}`,
      created_at: new Date(clock.now()).toISOString(),
      ...owner,
    }
    // Before the account, so that no account is missing in the list. An id without an account does no harm.
    await orUnavailable(state.client.put({ TableName: state.table, Item: listKey(item.id) }))
    await orUnavailable(accounts.create(item).go())
    return toAccount(item)
  }

  /** One page of the ids of all accounts, in ascending order, after the id `after`; `next` is the last one of them, null at the end. */
  async function listIds(after: string | null): Promise<{ ids: string[]; next: string | null }> {
    const { Items = [], LastEvaluatedKey } = await orUnavailable(
      state.client.query({
        TableName: state.table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': LIST },
        Limit: PAGE,
        ...(after !== null && { ExclusiveStartKey: listKey(after) }),
      }),
    )
    return { ids: Items.map(({ sk }) => String(sk)), next: LastEvaluatedKey?.sk ?? null }
  }

  /** The keys of the items of an account that this room owns. */
  function itemKeys(id: string): ItemKey[] {
    return [itemKey(id), listKey(id)]
  }

  /** Returns null for an unknown and for a deleted account. */
  async function byId(id: string): Promise<Account | null> {
    const item = await find(id)
    return isLive(item) ? toAccount(item) : null
  }

  /** When the account was deleted, ISO 8601; null for a live and for an unknown account. */
  async function deletedAt(id: string): Promise<string | null> {
    return (await find(id))?.deleted_at ?? null
  }

  /** The key of the account's own item. */
  function itemKey(id: string): ItemKey {
    return accounts.get({ id }).params<{ Key: ItemKey }>().Key
  }

  /** Notes an item that leads from an identity to the account, so that it can be deleted with the account. */
  async function noteIdentity(id: string, hash: string): Promise<void> {
    await conditionHeld(
      accounts
        .patch({ id })
        .add({ identity_hashes: [hash] })
        .go(),
    )
  }

  /** What noteIdentity has noted. */
  async function identityHashes(id: string): Promise<string[]> {
    return (await find(id))?.identity_hashes ?? []
  }

  /** Reads the account together with another item (readTogether). Null for an unknown and for a deleted account. */
  function itemRead(id: string): ItemRead<Account | null> {
    return {
      Key: itemKey(id),
      parse: Item => {
        const item = Item === undefined ? null : accounts.parse({ Item }).data
        return isLive(item) ? toAccount(item) : null
      },
    }
  }

  /** Replaces the account's API key; the old key stops at once. Nobody can read a key again. Throws without an account. */
  async function issueApiKey(accountId: string): Promise<string> {
    const key = `aak_${accountId.slice(ID_PREFIX.length)}${randomBytes(32).toString('hex')}`
    const live = accounts
      .patch({ id: accountId })
      .set({ api_key_hash: sha256(key) })
      .where(({ deleted_at }, { notExists }) => notExists(deleted_at))
    if (!(await conditionHeld(live.go()))) throw new Error(`There is no account ${accountId}.`)
    keyCache.clear()
    return key
  }

  /** Returns the account of an API key, or null for an unknown or replaced key. Cached for at most 5 s. */
  async function byApiKey(key: string): Promise<Account | null> {
    return API_KEY.test(key) ? keyCache.get(key) : null
  }

  async function lookUpKey(key: string): Promise<Account | null> {
    const hash = sha256(key)
    const accountPart = API_KEY.exec(key)?.[1]
    const id = accountPart === undefined ? await accountOfFirstEditionKey(hash) : ID_PREFIX + accountPart
    const item = id === null ? null : await find(id)
    return isLive(item) && isSame(item.api_key_hash ?? '', hash) ? toAccount(item) : null
  }

  async function accountOfFirstEditionKey(hash: string): Promise<string | null> {
    const { data } = await orUnavailable(keys.get({ hash }).go({ consistent: true }))
    return data?.account_id ?? null
  }

  async function hasApiKey(accountId: string): Promise<boolean> {
    return (await find(accountId))?.api_key_hash !== undefined
  }

  /**
   * Sets the plan that the payments decide. A version that is not newer than the last one changes nothing, because events
   * of the payment provider may arrive late; nor does any version change a complimentary account.
   */
  async function applyPlan(id: string, tier: Tier, version: number): Promise<void> {
    const newer = accounts
      .patch({ id })
      .set({ tier, plan_version: version })
      .where(
        (item, { eq, lt, notExists }) =>
          `${eq(item.complimentary, false)} AND (${notExists(item.plan_version)} OR ${lt(item.plan_version, version)})`,
      )
    await conditionHeld(newer.go())
    keyCache.clear()
  }

  /** Sets the monthly spend cap in dollars; null removes it. */
  async function setSpendCap(id: string, dollars: number | null): Promise<void> {
    const patch = accounts.patch({ id })
    const write = dollars === null ? patch.remove(['spend_cap']) : patch.set({ spend_cap: dollars })
    await conditionHeld(write.go())
    keyCache.clear()
  }

  /** Notes the account's login or name at an identity provider. */
  async function setIdentityName(
    id: string,
    provider: 'idp' | 'code_host' | 'dev',
    name: string | null,
  ): Promise<void> {
    if (name === null) return
    const field = provider === 'code_host' ? 'code_host_login' : 'idp_name'
    await conditionHeld(
      accounts
        .patch({ id })
        .set({ [field]: name })
        .go(),
    )
  }

  /** Marks the account as deleted: every credential of it stops within 5 s, in this process at once. */
  async function markDeleted(id: string): Promise<void> {
    await deletions.add('account', id)
    const write = accounts
      .patch({ id })
      .set({ deleted_at: new Date(clock.now()).toISOString(), email: DELETED_EMAIL })
      .remove(['api_key_hash', 'code_host_login', 'idp_name'])
    await conditionHeld(write.go())
    keyCache.clear()
  }

  async function find(id: string) {
    const { data } = await orUnavailable(accounts.get({ id }).go({ consistent: true }))
    return data
  }

  return {
    create,
    byId,
    itemRead,
    issueApiKey,
    byApiKey,
    hasApiKey,
    applyPlan,
    setSpendCap,
    setIdentityName,
    noteIdentity,
    identityHashes,
    markDeleted,
    deletedAt,
    listIds,
    listEarlier: createEarlierAccounts(state, listKey).listNext,
    itemKeys,
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>

function listKey(id: string): ItemKey {
  return { pk: LIST, sk: id }
}

type AccountItem = Pick<Account, 'id' | 'email' | 'tier' | 'complimentary' | 'created_at'> & {
  code_host_login?: string | undefined
  idp_name?: string | undefined
  spend_cap?: number | undefined
  deleted_at?: string | undefined
}

function isLive<Item extends AccountItem>(item: Item | null): item is Item {
  return item !== null && item.deleted_at === undefined
}

function toAccount({ id, email, tier, complimentary, created_at, ...item }: AccountItem): Account {
  const { code_host_login = null, idp_name = null, spend_cap = null } = item
  return {
    id,
    email,
    tier,
    complimentary,
    created_at,
    code_host_login,
    idp_name,
    monthly_spend_cap_dollars: spend_cap,
  }
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
        code_host_login: { type: 'string' },
        idp_name: { type: 'string' },
        /** Dollars a month. */
        spend_cap: { type: 'number' },
        /** Of the last plan that the payments have set. */
        plan_version: { type: 'number' },
        deleted_at: { type: 'string' },
        identity_hashes: { type: 'set', items: 'string' },
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
