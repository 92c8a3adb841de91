import type { ItemKey } from '#core/state/state-table'

/** The keys of counters. `owner` is the id of a project or an account. */

/** Events of a month that are folded. */
export const FOLDED = 'folded'
/** Metered reads of a month. */
export const READS = 'reads'

/** All counters of an owner. */
export function ownerPartition(owner: string): string {
  return `usage#${owner}`
}

/** The item of an owner, month (YYYY-MM) and source. */
export function monthKey(owner: string, month: string, source = FOLDED): ItemKey {
  return { pk: ownerPartition(owner), sk: `${month}#${source}` }
}

/** The sort key of a project's item over all time. It follows the keys of all months. */
export const TOTAL = 'total'

/** The item of a project over all time. */
export function totalKey(projectId: string): ItemKey {
  return { pk: ownerPartition(projectId), sk: TOTAL }
}

/** Whether an item is one of this month (YYYY-MM). */
export function isOfMonth(item: Record<string, unknown>, month: string): boolean {
  return String(item.sk).startsWith(`${month}#`)
}

/** Whether an item is one of a month with this source. */
export function hasSource(item: Record<string, unknown>, source: string): boolean {
  return String(item.sk).endsWith(`#${source}`)
}
