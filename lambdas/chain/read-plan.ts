import type { Caller } from '#core/access/caller'
import type { Account } from '#core/accounts/account'
import type { Profile } from '#core/plans/profile'
import { authRequired } from './authenticate.ts'

export type PlanServices = {
  /** The account as it is now, or null when it was deleted. */
  accounts: { byId(id: string): Promise<Account | null> }
  profile: Profile
  baseUrl: string
}

/**
 * Reads a free account again where accounts can pay. The caller comes from a cache, but an agent that learns
 * of a payment retries at once, and must not be refused then. An account that has Pro costs no read. Throws
 * AUTH_REQUIRED when the account was deleted.
 */
export function readPlan({ accounts, profile, baseUrl }: PlanServices) {
  async function readAgain(caller: Caller): Promise<{ caller: Caller }> {
    const account = await accounts.byId(caller.account.id)
    if (account === null) throw authRequired(baseUrl, 'unknown')
    return { caller: { ...caller, account, tier: account.tier } }
  }

  return function readPlan({ caller }: { caller: Caller }): { caller: Caller } | Promise<{ caller: Caller }> {
    return profile.has_payments && caller.tier === 'free' ? readAgain(caller) : { caller }
  }
}
