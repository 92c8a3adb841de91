/** Athena's price for 10^12 bytes. The bill has at least 10 MB for each statement. */
const USD_PER_TB = 5
const MIN_BILLED_BYTES = 10_000_000

/** What the bill has for a statement that reads so many bytes, US dollars. */
export function athenaCostUsd(bytes: number): number {
  return (Math.max(bytes, MIN_BILLED_BYTES) * USD_PER_TB) / 1e12
}
