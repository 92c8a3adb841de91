import { compareText } from '#core/text/compare-text'

/**
 * Links of one identity scope, as identify requests made them: the events of `previous_id` are events of
 * `user_id`. The rules are those of docs/api/identity.md: chains are flattened, an id keeps its first link
 * (U45), and a link that would close a loop is dropped. So each id leads to at most one other, and the ids of
 * a person are a tree whose root is the final id.
 */

/**
 * A link and when it arrived. `at` (Unix ms) and `seq` order links as they order events (core/ingest/ids.ts).
 */
export type Link = { previous_id: string; user_id: string; at: number; seq: number }

/** A link that counts, as the links files store it. */
export type LinkRow = Link & {
  scope: string
  /** What `user_id` resolved to when the row was written. */
  linked_id: string
}

/**
 * The order in which links count. Ids decide between links of one moment, which only happens to made-up data.
 */
export function compareLinks(a: Link, b: Link): number {
  return (
    a.at - b.at ||
    a.seq - b.seq ||
    compareText(a.previous_id, b.previous_id) ||
    compareText(a.user_id, b.user_id)
  )
}

/** Whether an id looks like those that the tracker invents for a browser. */
export function isAnonymous(id: string): boolean {
  return id.startsWith('anon_')
}
