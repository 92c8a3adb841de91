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
/**
 * The part of the account's executions that only ingestion may use, and the most that a stream of many shards
 * makes of it: what is reserved is also the limit.
 */
const TRACK_SHARE = { least: 0.2, most: 0.5 }
/** Requests a second for each shard, with the burst that the gateway lets through (lib/api.ts). */
const REQUESTS_PER_SHARD = 2_000

/**
 * What an account of ten executions can hold beside workers and consumers: one stream, and two reads of share
 * links or of the demo, whose visitors open no stream. So two of ten stay for ingestion also while all of
 * these run.
 */
const SMALL_LIMITS = { open_streams: 1, guest_streams: 0, guest_reads_at_once: 2 }

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
  /** The option `limits`, with the open streams and the reads of guests that the account can hold. */
  limits: string
}

/**
 * How the functions share the concurrent executions of the AWS account. A new account has 10: four workers
 * and ten open streams would leave none for `track`, and browsers do not send refused events again. Without
 * the option it is what the account has when the deployer synthesizes (bin/app.ts). Where nobody can tell,
 * nothing is reserved, because a reservation stops the deployment of an account that is too small for it.
 */
export function shareConcurrency({
  concurrency,
  jobConcurrency,
  limits,
  streamMode,
  shards = 1,
}: Pick<
  z.output<typeof optionsSchema>,
  'concurrency' | 'jobConcurrency' | 'limits' | 'streamMode' | 'shards'
>): Concurrency {
  const isSmall = concurrency !== undefined && concurrency < UNRESERVED
  const reserved = reserveForTrack(
    concurrency ?? 0,
    streamMode === 'on-demand' ? Number.POSITIVE_INFINITY : shards,
  )
  const jobs = jobConcurrency ?? (isSmall ? 2 : 4)
  // A share is left for requests also where the other work may take all executions.
  const free = Math.max((concurrency ?? Number.POSITIVE_INFINITY) - jobs - HELD, 1)
  return {
    jobs,
    requests: { rate: free * REQUESTS_PER_EXECUTION, burst: free * BURST_PER_EXECUTION },
    track: concurrency !== undefined && concurrency - reserved >= UNRESERVED ? reserved : undefined,
    limits: isSmall ? withDefaults(limits, SMALL_LIMITS) : limits,
  }
}

function reserveForTrack(concurrency: number, shards: number): number {
  const needed = (shards * REQUESTS_PER_SHARD) / REQUESTS_PER_EXECUTION
  const most = Math.min(concurrency * TRACK_SHARE.most, concurrency - UNRESERVED)
  return Math.floor(Math.max(concurrency * TRACK_SHARE.least, Math.min(needed, most)))
}

/** The limits, with those of an account of few executions where the deployer has set none. */
function withDefaults(limits: string, defaults: Record<string, number>): string {
  const isSet = (name: string) => new RegExp(`\\b${name}=`).test(limits)
  const added = Object.entries(defaults).flatMap(([name, value]) => (isSet(name) ? [] : `${name}=${value}`))
  return [limits, ...added].filter(Boolean).join()
}
