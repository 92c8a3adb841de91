import { createHash } from 'node:crypto'
import type { Scope } from '#schemas/routes'

export type Tier = 'free' | 'pro'

export type Account = {
  id: string
  email: string
  tier: Tier
  /** Pro without a charge: the owner of an own install, and everybody whom they admit. */
  complimentary: boolean
  /** ISO 8601. */
  created_at: string
}

/** The caller of a request, after the check of the credential. */
export type Caller = {
  account: Account
  /** The plan whose rights this request has. */
  tier: Tier
  credential: Credential
  /** An API key and the dashboard's cookie have all scopes. */
  scopes: readonly Scope[] | 'all'
}

export type Credential = {
  kind: 'api_key' | 'agent_session' | 'cookie' | 'demo'
  /** Names the credential in logs and records; it is not secret. */
  id: string
}

/** Returns whether the caller has the scope. A write scope implies its read scope (contract R7). */
export function hasScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): boolean {
  if (scopes === 'all') return true
  const names: readonly string[] = scopes
  return (
    names.includes(scope) || (scope.endsWith(':read') && names.includes(scope.replace(':read', ':write')))
  )
}

/** Returns the id of an API key: the start of its SHA-256, from which nobody can find the key. */
export function apiKeyId(key: string): string {
  return `key_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}
