import type { BotPurpose } from '#schemas/bot-traffic'
import type { BotDay, Quarters } from './counters.ts'
import { NAMED_ACTORS } from './named-bots.ts'

/** What an item holds of one actor. */
export type ActorCount = Pick<
  BotDay,
  'category' | 'actor' | 'purpose' | 'requests' | 'dropped' | 'last_seen_at' | 'quarters'
>

/**
 * Actors of one item beside the named ones of docs/api/bots.md. The names of the others come from the senders
 * of requests, so their number must have a limit. It is far above the 50 that a report shows. A full item,
 * with every actor in every quarter of an hour, stays below the 400 KB of an item.
 */
export const MAX_OTHER_ACTORS = 100
/** The actor of all requests beyond that number. Their category stays. */
export const OTHER_ACTOR = 'Other'

/** The count without the name of its actor, and without what only that actor says about itself. */
export function asOther<T extends { actor: string; purpose?: BotPurpose | undefined }>(count: T): T {
  const { purpose: _, ...others } = count
  return { ...(others as T), actor: OTHER_ACTOR }
}

/**
 * Adds counts to the actors of an item, in the order of arrival. So an item has the same actors, however the
 * requests were cut into batches.
 */
export function addActors(existing: readonly ActorCount[], added: readonly ActorCount[]): ActorCount[] {
  const actors = new Map(existing.map(count => [keyOf(count), structuredClone(count)]))
  let others = existing.filter(isLimited).length
  for (const count of added) {
    const known = actors.get(keyOf(count))
    const hasRoom = known !== undefined || !isLimited(count) || others < MAX_OTHER_ACTORS
    const target = hasRoom ? count : asOther(count)
    const total = actors.get(keyOf(target))
    if (total === undefined) {
      actors.set(keyOf(target), structuredClone(target))
      if (isLimited(target)) others += 1
      continue
    }
    total.requests += count.requests
    total.dropped += count.dropped
    addQuarters(total.quarters, count.quarters)
    if (target.purpose !== undefined) total.purpose = target.purpose
    total.last_seen_at = Math.max(total.last_seen_at, count.last_seen_at)
  }
  return [...actors.values()]
}

/** Adds the counts of each quarter of an hour to `total`. */
export function addQuarters(total: Quarters, added: Quarters): void {
  for (const [quarter, [requests, dropped]] of Object.entries(added)) {
    const [before = 0, droppedBefore = 0] = total[Number(quarter)] ?? []
    total[Number(quarter)] = [before + requests, droppedBefore + dropped]
  }
}

function isLimited({ actor }: ActorCount): boolean {
  return actor !== OTHER_ACTOR && !NAMED_ACTORS.has(actor)
}

function keyOf({ category, actor }: ActorCount): string {
  return `${category} ${actor}`
}
