import type { Caller } from '#core/access/caller'
import { keptByPlan } from '#core/plans/kept-since'
import type { Profile } from '#core/plans/profile'
import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'

/** Which events of a project a caller may see. */

export type RetentionServices = { profile: Profile; clock: Now }

/**
 * The beginning of the first day that the account's plan keeps (docs/api/limits.md), Unix ms; undefined
 * without a limit. What a project keeps, reports know themselves.
 */
export function keptSince({ profile, clock }: RetentionServices, { account }: Caller): number | undefined {
  return keptByPlan(profile, account, clock.now())
}

/** A demo session sees the demo project only, also if its owner has joined it with others. */
export function toScopedProject(project: Project, caller: Caller): Project {
  return caller.credential.kind === 'demo' ? { ...project, portfolio_id: null } : project
}
