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

type Counts = {
  maxCount?: number
  /** The count for each unit of depth, where that at depth 1 is smaller because it is costly. */
  countPerDepth?: number
}

/**
 * Returns how often something repeats, or how large it is: `countAtDepth1` times the depth, and at most
 * `maxCount`. In a deep run `countPerDepth` takes the place of `countAtDepth1`.
 */
export function repeats(
  countAtDepth1: number,
  { countPerDepth = countAtDepth1, maxCount }: Counts = {},
): number {
  return atMost((isDeepRun() ? countPerDepth : countAtDepth1) * inject('depth'), maxCount)
}

/**
 * Returns the settings of `fc.assert` for a property that is tried `runsAtDepth1` times at depth 1. At any
 * other depth it is tried `countPerDepth` times the depth: with few runs some of what a property must meet
 * does not come.
 */
export function propertySettings(
  runsAtDepth1: number,
  { countPerDepth = runsAtDepth1, maxCount }: Counts = {},
): { numRuns: number; seed: number } {
  const depth = inject('depth')
  return { numRuns: atMost((depth > 1 ? countPerDepth : runsAtDepth1) * depth, maxCount), seed }
}

function atMost(count: number, maxCount = Number.POSITIVE_INFINITY): number {
  return Math.min(Math.ceil(count), maxCount)
}
