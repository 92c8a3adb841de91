import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    depth: number
    seed: number
  }
}

/**
 * How much random work a test run does. `npm test` is short and always uses the same seed: when it fails, the
 * change under test is the cause. `npm run test:deep` repeats more and draws a new seed each time, so it
 * finds new defects. Both print TEST_DEPTH and TEST_SEED. To repeat a run, set them as environment variables.
 * global-setup.ts reads them.
 */
export const seed = inject('seed')

/** The depth of `.ci/run`. */
const CI_DEPTH = 2

/** Whether the run goes deeper than `.ci/run`, so that it may take hours. */
export function isDeepRun(): boolean {
  return inject('depth') > CI_DEPTH
}

/**
 * Returns how often a random test repeats: `countAtDepth1` times the depth, and at most `maxCount`. A costly
 * test repeats more often in deep runs alone: `countPerDepth` times the depth.
 */
export function repeats(
  countAtDepth1: number,
  { maxCount = Number.POSITIVE_INFINITY, countPerDepth = countAtDepth1 } = {},
): number {
  return Math.min(Math.ceil((isDeepRun() ? countPerDepth : countAtDepth1) * inject('depth')), maxCount)
}

/**
 * Returns the settings of `fc.assert` for a property that is tried `runsAtDepth1` times at depth 1, and as
 * `repeats` says in deep runs.
 */
export function propertySettings(
  runsAtDepth1: number,
  options: Parameters<typeof repeats>[1] = {},
): { numRuns: number; seed: number } {
  return { numRuns: repeats(runsAtDepth1, options), seed }
}
