import type { Scope } from '#schemas/routes'

export type Account = {
  id: string
  email: string
  tier: 'free' | 'pro'
  /** Pro without a charge: the owner of an own install, and whom they admit. */
  complimentary: boolean
  /** ISO 8601. */
  created_at: string
}

/** Who calls, once a credential has been found good. An API key and the dashboard cookie hold all scopes. */
export type Caller = { account: Account; credential: 'api_key'; scopes: readonly Scope[] | 'all' }
