import { ApiError } from '#core/errors'
import { splitEqually, type Variant } from '#schemas/assignment'
import { EXPERIMENT_WORD } from '#schemas/experiments'

const MIN_VARIANTS = 2
const MAX_VARIANTS = 4

/**
 * Reads the variants of a new experiment (docs/api/experiments.md): keys, or objects with a key and a weight.
 * Without any weight every variant gets an equal share, and the first one also the remainder. Throws
 * INVALID_VARIANTS.
 */
export function parseVariants(variants: unknown, weights: unknown): Variant[] {
  if (!Array.isArray(variants) || variants.length < MIN_VARIANTS || variants.length > MAX_VARIANTS) {
    throw new ApiError(
      'INVALID_VARIANTS',
      `Field \`variants\` must be an array of ${MIN_VARIANTS} to ${MAX_VARIANTS} variants.`,
    )
  }
  const keys = variants.map(parseKey)
  if (new Set(keys).size < keys.length)
    throw new ApiError('INVALID_VARIANTS', 'Two variants have the same key. Use different keys.')
  const ownWeights = variants.map(variant => (typeof variant === 'string' ? undefined : variant.weight))
  const hasOwnWeights = ownWeights.some(weight => weight !== undefined && weight !== null)
  if (weights === undefined && !hasOwnWeights) return splitEqually(keys)
  if (weights !== undefined && hasOwnWeights) {
    throw new ApiError(
      'INVALID_VARIANTS',
      'The weights are in `variants` and in `weights`. Send them in one of these fields.',
    )
  }
  const parsed = parseWeights(weights ?? ownWeights, keys.length)
  return keys.map((key, i) => ({ key, weight: parsed[i] ?? 0 }))
}

function parseKey(variant: unknown): string {
  const key = typeof variant === 'object' && variant !== null && 'key' in variant ? variant.key : variant
  if (typeof key === 'string' && EXPERIMENT_WORD.test(key)) return key
  throw new ApiError(
    'INVALID_VARIANTS',
    'Every variant must have a key of 1 to 64 characters of `A-Z a-z 0-9 _ -`.',
  )
}

function parseWeights(weights: unknown, count: number): number[] {
  const isList = Array.isArray(weights) && weights.length === count
  if (!isList || !weights.every(weight => Number.isInteger(weight) && weight >= 0)) {
    throw new ApiError('INVALID_VARIANTS', 'Every variant needs a weight, a whole number of at least 0.')
  }
  const sum = weights.reduce((total: number, weight: number) => total + weight, 0)
  if (sum !== 100)
    throw new ApiError(
      'INVALID_VARIANTS',
      `The weights add up to ${sum}. Change them so that they add up to 100.`,
    )
  return weights
}
