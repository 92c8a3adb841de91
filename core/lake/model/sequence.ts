/**
 * Sequences of a shard are decimal integers with more digits than a double holds, and their lengths differ.
 */

/** Whether `sequence` comes after `position`. Every sequence comes after null. */
export function isBeyond(sequence: string, position: string | null): boolean {
  return position === null || BigInt(sequence) > BigInt(position)
}

/** Compares for an ascending sort. */
export function compareSequences(a: string, b: string): number {
  if (isBeyond(a, b)) return 1
  return isBeyond(b, a) ? -1 : 0
}
