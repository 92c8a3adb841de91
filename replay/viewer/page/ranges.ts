/** A part of the recording, Unix ms. */
export type Range = { from: number; to: number }

/** A user who does nothing for so long is idle, ms. */
const IDLE_MS = 10_000
/** What stays of an idle time at its begin and its end, ms. */
const LEAD_MS = 1_000

/**
 * Returns where the user did nothing, in the order of time: between `from` and `to`, given when the user did
 * something, also in that order.
 */
export function idleRanges(activity: readonly number[], { from, to }: Range): Range[] {
  const ranges: Range[] = []
  let before = from
  for (const at of [...activity, to]) {
    if (at - before > IDLE_MS) ranges.push({ from: before + LEAD_MS, to: at - LEAD_MS })
    before = Math.max(before, at)
  }
  return ranges
}
