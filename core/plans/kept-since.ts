import { limitsOf, NO_LIMIT, type Profile, type Tier } from '#core/plans/profile'
import { DAY_MS, midnight } from '#core/time'

/**
 * How long events are kept (docs/api/limits.md, Retention). Each time is the beginning of a UTC day, Unix ms.
 */

/** The first day that the account's plan keeps; undefined without a limit. */
export function keptByPlan(profile: Profile, account: { tier: Tier }, now: number): number | undefined {
  const { retention_days } = limitsOf(profile, account)
  return retention_days === NO_LIMIT ? undefined : firstKept(retention_days, now)
}

/** A project with a choice of its owner, or without one. */
export type KeptProject = { retention_days?: number | null | undefined }

/** The first day that the project's own `retention_days` keep (U122); 0 without a choice. */
export function keptByProject({ retention_days }: KeptProject, now: number): number {
  return retention_days == null ? 0 : firstKept(retention_days, now)
}

function firstKept(days: number, now: number): number {
  return midnight(now) - days * DAY_MS
}
