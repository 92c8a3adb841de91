import { createHash } from 'node:crypto'
import type { Project } from '#core/projects/project'
import type { CredentialKind } from '#schemas/route'
import type { Scope } from '#schemas/scopes'
import type { ShareLink } from '#schemas/share-links'

export type Tier = 'free' | 'pro'

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
}

/** The caller of a request, after the check of the credential. */
export type Caller = {
  account: Account
  /** The plan whose rights this request has. */
  tier: Tier
  credential: Credential
  /** An API key and the dashboard's cookie have all scopes. */
  scopes: readonly Scope[] | 'all'
  /** The part of one project that a share link shows; absent for every other credential. */
  shared?: { link: ShareLink; project: Project }
}

export type Credential = {
  kind: CredentialKind
  /** Names the credential in logs and records; it is not secret. */
  id: string
  /** The name that the user gave the client of an agent session. */
  label: string | null
}

/**
 * Returns whether the caller has no account of their own: whoever has a share link, and demo sessions. Their
 * reads come after those of accounts and count as docs/api/limits.md says.
 */
export function isGuest({ credential }: Pick<Caller, 'credential'>): boolean {
  return credential.kind === 'share_link' || credential.kind === 'demo'
}

/** Returns whether the caller has the scope. A write scope implies its read scope (R7). */
export function hasScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): boolean {
  if (scopes === 'all') return true
  const names: readonly string[] = scopes
  return (
    names.includes(scope) || (scope.endsWith(':read') && names.includes(scope.replace(':read', ':write')))
  )
}

/** Returns the id of an API key: the start of its SHA-256, from which nobody can find the key. */
export function apiKeyId(key: string): string {
  return apiKeyIdOfHash(createHash('sha256').update(key).digest('hex'))
}

/** The same of the SHA-256 of a key in hex. */
export function apiKeyIdOfHash(hash: string): string {
  return `key_${hash.slice(0, 16)}`
}
