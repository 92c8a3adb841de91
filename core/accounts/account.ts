import { createHash } from 'node:crypto'
import type { Tier } from '#core/plans/profile'
import type { CredentialKind } from '#schemas/route'

export type Account = {
  id: string
  email: string
  tier: Tier
  /** Pro without a charge: the owner of an own install, and everybody whom they admit. */
  complimentary: boolean
  /** ISO 8601. */
  created_at: string
  /** The login at the code host; null before the user has signed in there. */
  code_host_login: string | null
  /** The name at the default identity provider. */
  idp_name: string | null
  /** null: no cap. */
  monthly_spend_cap_dollars: number | null
  /** Browser sessions that began before this time have ended, Unix ms. 0: no session has ended so. */
  browsers_since: number
}

/**
 * Where somebody has signed in: `idp` is the default OpenID provider, `code_host` the second one, `email` a
 * code that the service sends, `dev` only outside of production.
 */
export type SignInProvider = 'idp' | 'code_host' | 'email' | 'dev'

export type Credential = {
  kind: CredentialKind
  /** Names the credential in logs and records; it is not secret. */
  id: string
  /** The name that the user gave the client of an agent session. */
  label: string | null
}

/** Returns the id of an API key: the start of its SHA-256, from which nobody can find the key. */
export function apiKeyId(key: string): string {
  return apiKeyIdOfHash(createHash('sha256').update(key).digest('hex'))
}

/** The same of the SHA-256 of a key in hex. */
export function apiKeyIdOfHash(hash: string): string {
  return `key_${hash.slice(0, 16)}`
}
