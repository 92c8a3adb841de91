/**
 * Links of one identity scope, as identify requests made them: the events of `previous_id` are events of `user_id`. The rules are
 * those of docs/api/identity.md: chains are flattened, an id keeps the first link that arrived (U45), and a link that would close
 * a loop is dropped.
 */

/** A link and when it arrived. `at` (Unix ms) and `seq` order links as they order events (core/ingest/ids.ts). */
export type Link = { previous_id: string; user_id: string; at: number; seq: number }

/**
 * Returns the final id of each `previous_id`. An id whose links are all dropped is its own final id. The result follows from the set
 * of links alone: neither their order in the list nor repetitions change it.
 */
export function resolveLinks(links: readonly Link[]): Map<string, string> {
  const next = new Map<string, string>()
  for (const { previous_id, user_id } of links.toSorted(compareLinks)) {
    if (!next.has(previous_id) && findFinal(next, user_id) !== previous_id) next.set(previous_id, user_id)
  }
  return new Map(links.map(({ previous_id }) => [previous_id, findFinal(next, previous_id)]))
}

/** The order in which links count. Ids decide between links of one moment, which only happens to made-up data. */
export function compareLinks(a: Link, b: Link): number {
  return (
    a.at - b.at ||
    a.seq - b.seq ||
    compareText(a.previous_id, b.previous_id) ||
    compareText(a.user_id, b.user_id)
  )
}

/** Follows the accepted links from an id to the id that has none. There are no loops. */
function findFinal(next: ReadonlyMap<string, string>, id: string): string {
  let final = id
  for (let following = next.get(final); following !== undefined; following = next.get(final))
    final = following
  return final
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
