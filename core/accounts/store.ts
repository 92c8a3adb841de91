import { randomBytes } from 'node:crypto'
import type { Tier } from '#core/plans/profile'
import type { Now } from '#core/ports'
import { createDeletionList } from '#core/state/deletion-list'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import type { Account, SignInProvider } from './account.ts'
import { createAccountList, listKey } from './account-list.ts'
import { createApiKeys } from './api-keys.ts'
import { ACCOUNT_ID_PREFIX, createAccountEntity, createAccountItems, isLive, toAccount } from './items.ts'

export type AccountStoreServices = StateTable & { clock: Now }

/** The address of a deleted account is forgotten. */
const DELETED_EMAIL = 'deleted@invalid'

/** Accounts, their API keys and the list of all accounts. */
export function createAccountStore({ clock, ...state }: AccountStoreServices) {
  const accounts = createAccountEntity(state)
  const { find, itemKey, itemRead } = createAccountItems(state)
  const { forgetKeys, ...apiKeys } = createApiKeys({ ...state, clock, items: { find } })
  const { add, ...list } = createAccountList(state)
  const deletions = createDeletionList({ ...state, clock })

  async function create(owner: Pick<Account, 'email' | 'tier' | 'complimentary'>): Promise<Account> {
    const item = {
      id: `${ACCOUNT_ID_PREFIX}${randomBytes(8).toString('hex')}`,
      created_at: new Date(clock.now()).toISOString(),
      ...owner,
    }
    // Before the account, so that no account is missing in the list. An id without an account does no harm.
    await add(item.id)
    await orUnavailable(accounts.put(item).go())
    return toAccount(item)
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

  /**
   * Sets the plan that the payments decide. A version that is not newer than the last one changes nothing,
   * because events of the payment provider may arrive late; nor does any version change a complimentary
   * account.
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
    forgetKeys()
  }

  /** Sets the monthly spend cap in dollars; null removes it. */
  async function setSpendCap(id: string, dollars: number | null): Promise<void> {
    const patch = accounts.patch({ id })
    const write = dollars === null ? patch.remove(['spend_cap']) : patch.set({ spend_cap: dollars })
    await conditionHeld(write.go())
    forgetKeys()
  }

  /** Notes the account's login or name at an identity provider. */
  async function setIdentityName(id: string, provider: SignInProvider, name: string | null): Promise<void> {
    if (name === null) return
    const field = provider === 'code_host' ? 'code_host_login' : 'idp_name'
    await conditionHeld(
      accounts
        .patch({ id })
        .set({ [field]: name })
        .go(),
    )
  }

  /**
   * Ends all browser sessions of the account that began until now: within 5 s in other processes. Returns
   * when the next one may begin, Unix ms.
   */
  async function endBrowsers(id: string): Promise<number> {
    const browsers_since = clock.now() + 1
    await conditionHeld(accounts.patch({ id }).set({ browsers_since }).go())
    return browsers_since
  }

  /** Marks the account as deleted: every credential of it stops within 5 s, in this process at once. */
  async function markDeleted(id: string): Promise<void> {
    await deletions.add('account', id)
    const write = accounts
      .patch({ id })
      .set({ deleted_at: new Date(clock.now()).toISOString(), email: DELETED_EMAIL })
      .remove(['api_key_hash', 'code_host_login', 'idp_name'])
    await conditionHeld(write.go())
    forgetKeys()
  }

  return {
    ...list,
    ...apiKeys,
    create,
    byId,
    itemRead,
    endBrowsers,
    applyPlan,
    setSpendCap,
    setIdentityName,
    noteIdentity,
    identityHashes,
    markDeleted,
    deletedAt,
    itemKeys,
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>
