import type { Segment } from '#core/lake/model/segment'
import { sumOf } from '#core/sum'
import { DAY_MS } from '#core/time'

/**
 * A session is split if it has several rows in segment_sessions: on several UTC dates, or in several
 * segments. About one in fifty is. A read has to join the rows of split sessions, and finding them among the
 * rows of a busy month takes longer than all the rest. So a new segment says of each row whether the session
 * may have another row, in itself or in an older segment (`may_be_split` of schemas/columns.ts). Then a read
 * finds the keys of all split sessions in the rows with 1 or null: of two rows of a session, the one in the
 * newer segment has it, and both have it in one segment.
 *
 * A 0 stays true. Later segments say themselves what they share with this one, and an older segment never
 * gets a key that it did not have: the epochs before a segment are compacted before it, a merge has the same
 * sessions, and an erasure only removes some. A lake that compacts an epoch again drops the segments of all
 * later epochs first (choose-segments.ts).
 */

/**
 * A new segment with at least so many events is compared with the older ones. A smaller one is soon merged,
 * and a lake of a thousand projects gets 64 of them every ten minutes, each of which would fetch the files of
 * all older ones.
 */
export const MIN_COMPARED_EVENTS = 20_000
/**
 * A new segment is compared with the older ones that end at most this long before it begins, ms. Reads of
 * longer ranges do not use may_be_split, so no read joins fragments that were not compared.
 */
export const COMPARED_MS = 100 * DAY_MS
/**
 * For each event of the new segment, those have at most so many. Otherwise the comparison would read much for
 * little. A merged segment of 650,000 events, which is not merged again, is compared with 330 million: a
 * bucket of 100 million a month. It reads about 3 bytes for each of them.
 */
const MAX_OLDER_EVENTS = 512

/**
 * If a larger part of the events of a read is in segments that do not know which sessions are split, the read
 * searches all keys.
 */
const MAX_UNKNOWN_PART = 0.25

/** The older segments that a segment whose first event has this timestamp (Unix ms) is compared with. */
export function comparedSegments(older: readonly Segment[], firstAt: number): Segment[] {
  return older.filter(({ lastAt }) => lastAt >= firstAt - COMPARED_MS)
}

/**
 * Whether a new segment with so many events is compared with these older ones. `minEvents`: instead of
 * MIN_COMPARED_EVENTS.
 */
export function isCompared(
  events: number,
  older: readonly Segment[],
  minEvents: number = MIN_COMPARED_EVENTS,
): boolean {
  return events >= minEvents && sumOf(older, ({ rows }) => rows) <= events * MAX_OLDER_EVENTS
}

/** Whether the segments know which sessions are split. A small part of them need not know. */
export function isSplitKnown(segments: readonly Segment[]): boolean {
  const unknown = segments.filter(({ knowsSplit }) => !knowsSplit)
  return sumOf(unknown, ({ rows }) => rows) <= sumOf(segments, ({ rows }) => rows) * MAX_UNKNOWN_PART
}
