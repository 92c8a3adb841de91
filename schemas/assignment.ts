/** How users get their variants: the tracker assigns them, and the service must agree with it. */

/** A variant of an experiment. The weights of an experiment add up to 100. */
export type Variant = { key: string; weight: number }

/**
 * Gives every key the same share of 100; the first key also gets the remainder
 * (docs/api/experiments.md#assignment).
 */
export function splitEqually(keys: string[]): Variant[] {
  const share = (100 / keys.length) | 0
  return keys.map((key, at) => ({ key, weight: at ? share : 100 - share * (keys.length - 1) }))
}

/**
 * Returns the bucket, 0 to 99, of a user in an experiment (docs/api/experiments.md#assignment): a rolling
 * hash in 32 signed bits, times 31 plus each UTF-16 code unit. It must never change, because users keep their
 * variants by it.
 */
export function bucketOf(experiment: string, userId: string): number {
  const text = `${experiment}.${userId}`
  let hash = 0
  for (const unit of text.split('')) hash = ((hash << 5) - hash + unit.charCodeAt(0)) | 0
  return Math.abs(hash) % 100
}

/**
 * Returns the first variant whose running weight exceeds the bucket, or null when the weights are too small.
 */
export function chooseVariant(variants: Variant[], bucket: number): string | null {
  for (const { key, weight } of variants) {
    bucket -= weight
    if (bucket < 0) return key
  }
  return null
}
