import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    depth: number
    seed: number
  }
}

/**
 * How much random work a test run does. `npm test` is short and always uses the same seed: when it fails, the change
 * under test is the cause. `npm run test:deep` repeats more and draws a new seed each time, so it finds new defects.
 * Both print TEST_DEPTH and TEST_SEED; give them again as environment variables to repeat a run. Values come from
 * test/support/global-setup.ts.
 */
export const seed = inject('seed')

/** Number of repetitions of a random test: `short` at depth 1, in proportion at a larger depth, and at most `most`. */
export function repeats(short: number, most = Number.POSITIVE_INFINITY): number {
  return Math.min(Math.ceil(short * inject('depth')), most)
}

/** Settings of `fc.assert` for a property that is tried `short` times at depth 1. */
export function propertySettings(short: number): { numRuns: number; seed: number } {
  return { numRuns: repeats(short), seed }
}
