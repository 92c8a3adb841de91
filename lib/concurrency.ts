import type * as z from 'zod'
import type { optionsSchema } from './options.ts'

/**
 * AWS keeps this many executions of an account for functions without a reservation, so a smaller account
 * cannot reserve any.
 */
const UNRESERVED = 100
/** Executions that work beside requests: the two consumers, the scheduler and an open stream. */
const HELD = 4
/** What an execution of `track` takes a second, at 25 ms each. */
const REQUESTS_PER_EXECUTION = 40
/**
 * Requests that may come at once for each free execution, because browsers that send at the same time arrive
 * over about 100 ms.
 */
const BURST_PER_EXECUTION = 4
/** The part of the account's executions that only ingestion may use. */
const TRACK_SHARE = 0.2

export type Concurrency = {
  /** Compaction workers at the same time. */
  jobs: number
  /**
   * Executions that only `track` may use, which are also its limit; undefined: all functions share those of
   * the account.
   */
  track: number | undefined
  /**
   * Requests a second that the account has executions for, and how many may come at once. Without the option
   * both are unlimited.
   */
  requests: { rate: number; burst: number }
  /** The option `limits`, with the number of open streams that the account can hold. */
  limits: string
}

/**
 * How the functions share the concurrent executions of the AWS account. A new account has 10: four workers
 * and ten open streams would leave none for `track`, and browsers do not send refused events again. Without
 * the option nothing is reserved, because a reservation stops the deployment of an account that is too small
 * for it.
 */
export function shareConcurrency({
  concurrency,
  jobConcurrency,
  limits,
}: Pick<z.output<typeof optionsSchema>, 'concurrency' | 'jobConcurrency' | 'limits'>): Concurrency {
  const isSmall = concurrency !== undefined && concurrency < UNRESERVED
  const reserved = Math.floor((concurrency ?? 0) * TRACK_SHARE)
  const jobs = jobConcurrency ?? (isSmall ? 2 : 4)
  // A share is left for requests also where the other work may take all executions.
  const free = Math.max((concurrency ?? Number.POSITIVE_INFINITY) - jobs - HELD, 1)
  return {
    jobs,
    requests: { rate: free * REQUESTS_PER_EXECUTION, burst: free * BURST_PER_EXECUTION },
    track: concurrency !== undefined && concurrency - reserved >= UNRESERVED ? reserved : undefined,
    limits:
      isSmall && !/\bopen_streams=/.test(limits) ? [limits, 'open_streams=1'].filter(Boolean).join() : limits,
  }
}
