import type { EntityItem } from 'electrodb'
import { Entity } from '#core/state/entity'
import type { ItemRead } from '#core/state/read-items'
import { type ItemKey, orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import type { Account } from './account.ts'

/** What the id of an account begins with. */
export const ACCOUNT_ID_PREFIX = 'acc_'

type AccountItem = EntityItem<ReturnType<typeof createAccountEntity>>

/** Reads the items of accounts from the state, as they are now. */
export function createAccountItems(state: StateTable) {
  const accounts = createAccountEntity(state)

  async function find(id: string): Promise<AccountItem | null> {
    const { data } = await orUnavailable(accounts.get({ id }).go({ consistent: true }))
    return data
  }

  /** The key of the account's own item. */
  function itemKey(id: string): ItemKey {
    return accounts.get({ id }).params<{ Key: ItemKey }>().Key
  }

  /**
   * Reads the account together with another item (readTogether). Null for an unknown and for a deleted
   * account.
   */
  function itemRead(id: string): ItemRead<Account | null> {
    return {
      Key: itemKey(id),
      parse: Item => {
        const item = Item === undefined ? null : accounts.parse({ Item }).data
        return isLive(item) ? toAccount(item) : null
      },
    }
  }

  return { find, itemKey, itemRead }
}

export type AccountItems = ReturnType<typeof createAccountItems>

export function createAccountEntity({ client, table }: StateTable) {
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
        browsers_since: { type: 'number' },
        identity_hashes: { type: 'set', items: 'string' },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client, table },
  )
}

/** Returns whether there is an account and it was not deleted. */
export function isLive(item: AccountItem | null): item is AccountItem {
  return item !== null && item.deleted_at === undefined
}

export function toAccount({ id, email, tier, complimentary, created_at, ...item }: AccountItem): Account {
  const { code_host_login = null, idp_name = null, spend_cap = null, browsers_since = 0 } = item
  return {
    id,
    email,
    tier,
    complimentary,
    created_at,
    code_host_login,
    idp_name,
    monthly_spend_cap_dollars: spend_cap,
    browsers_since,
  }
}
