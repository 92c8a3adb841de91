import type { Caller } from '#core/access/caller'
import { limitsOf, NO_LIMIT, type Profile } from '#core/plans/profile'
import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { DAY_MS, midnight } from '#core/time'

/** Which events of a project a caller may see. */

export type RetentionServices = { profile: Profile; clock: Now }

/**
 * The beginning of the first day that the account's plan keeps (docs/api/limits.md), Unix ms; undefined
 * without a limit.
 */
export function keptSince({ profile, clock }: RetentionServices, { account }: Caller): number | undefined {
  const { retention_days } = limitsOf(profile, account)
  return retention_days === NO_LIMIT ? undefined : midnight(clock.now()) - retention_days * DAY_MS
}

/** A demo session sees the demo project only, also if its owner has joined it with others. */
export function toScopedProject(project: Project, caller: Caller): Project {
  return caller.credential.kind === 'demo' ? { ...project, portfolio_id: null } : project
}
