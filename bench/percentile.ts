/** The value that `share` (0 to 1) of the values are below. NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Of an even number of values it is the higher one of the two in the middle. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}
