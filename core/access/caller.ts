import type { Account, Credential } from '#core/accounts/account'
import type { Tier } from '#core/plans/profile'
import type { Project } from '#core/projects/project'
import type { Scope } from '#schemas/scopes'
import type { ShareLink } from '#schemas/share-links'

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
