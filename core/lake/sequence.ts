/** Sequence numbers of a shard have more digits than a double holds, and not always the same number of them. */

/** Whether `sequence` comes after `mark`; null stands for a shard of which nothing was read. */
export function isBeyond(sequence: string, mark: string | null): boolean {
  return mark === null || BigInt(sequence) > BigInt(mark)
}

/** For sorting, ascending. */
export function compareSequences(a: string, b: string): number {
  if (isBeyond(a, b)) return 1
  return isBeyond(b, a) ? -1 : 0
}
