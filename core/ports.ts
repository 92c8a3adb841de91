import type { TableName } from '#schemas/columns'
import type { LogCode } from '#schemas/log'

/**
 * What the rules of core/ need from the machine they run on. aws/ and local/ implement these; test/contract/ holds
 * one suite a port, run on every implementation.
 */

/** The current time. Core has no clock of its own, so that tests decide what time it is. */
export type Clock = {
  /** Unix milliseconds. */
  now(): number
}

/** One record as a shard holds it. */
export type StreamEntry = {
  /** Decimal integer; compare as BigInt, never as text. Ascending within a shard, with gaps. */
  sequence: string
  data: Uint8Array
}

/** A durable log in shards. What is acknowledged is never lost; it may come twice (a retried append). */
export type EventStream = {
  /**
   * Appends the records, each to any shard. Resolves only when all of them are durable.
   * Throws ApiError UNAVAILABLE when that cannot be had now; then some of them may still be there.
   */
  append(records: readonly Uint8Array[]): Promise<void>
  /** The shards that there are now. */
  shards(): Promise<string[]>
  /** Entries of `shard` with a sequence above `after` (null: from the oldest kept), ascending, at most `limit`. */
  read(shard: string, after: string | null, limit: number): Promise<StreamEntry[]>
}

/** One object of the lake, as a listing shows it: `size` in bytes. */
export type LakeObject = { key: string; size: number }

/** Whole objects by key: a key holds a whole object or none, at every moment. Keys use `/` and no `..`. */
export type Lake = {
  /** Durable when it resolves; replaces what the key held. ApiError UNAVAILABLE when there is no room. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The object, or null. */
  get(key: string): Promise<Uint8Array | null>
  /** All objects whose key starts with `prefix`, in ascending key order. */
  list(prefix: string): Promise<LakeObject[]>
  /** Deletes the keys; those that are not there are no error. */
  delete(keys: readonly string[]): Promise<void>
}

/** A value that SQL can be given. */
export type SqlParam = string | number | boolean | null

/**
 * What of a table a statement reads, as its WHERE says too: an engine that lists files by itself looks only there.
 * Bounds are inclusive; dates are YYYY-MM-DD.
 */
export type Scan = {
  table: TableName
  epoch?: readonly [number, number]
  date?: readonly [string, string]
  bucket?: number
}

/**
 * A statement in Trino's dialect; each `?` of the text takes the next of params. Made by `sql` of core/sql.ts.
 * Without `scans` every file of the lake is looked at.
 */
export type SqlQuery = {
  readonly text: string
  readonly params: readonly SqlParam[]
  readonly scans?: readonly Scan[]
}

/** One row by column name. Integers are JavaScript numbers; statements return no dates, timestamps or nested values. */
export type Row = Record<string, string | number | boolean | null>

/** What a statement has cost. */
export type QueryStatistics = {
  /** What it is billed by, failed or not. */
  bytesScanned: number
  engineMs: number
  /** The wait for a place among the statements that run. */
  queueMs: number
  /** Whether an earlier result was given again; then nothing was scanned. */
  reused: boolean
}

/** Runs read statements over the lake's tables (schemas/columns.ts). One SQL text, the same rows on every engine. */
export type QueryEngine = {
  /**
   * Throws ApiError UNAVAILABLE when the engine is busy past its deadline or the statement took too long, and
   * RATE_LIMITED when it takes no further statement now.
   * `signal`: the caller went away; the statement is cancelled and the promise rejects with the signal's reason.
   * `snapshot`: statements that are given the same object see the same files, on an engine that lists them by itself.
   * `onStatistics`: called once, before the promise settles, by engines that bill and as far as the statement ended.
   */
  rows(
    query: SqlQuery,
    options?: {
      signal?: AbortSignal | undefined
      snapshot?: object | undefined
      onStatistics?: ((statistics: QueryStatistics) => void) | undefined
    },
  ): Promise<Row[]>
}

/** Work for later, done at least once: every job may run twice. */
export type JobQueue<Job> = {
  send(job: Job): Promise<void>
}

/** Secrets by name. Their values are never logged. The first user comes with sign-in. */
export type Secrets = {
  /** Throws ApiError UNAVAILABLE when it cannot be had now. */
  get(name: string): Promise<string>
}

/** One line of the service's log. Codes come from schemas/log.ts; no personal data, no secrets. */
export type Log = (code: LogCode, fields?: Record<string, unknown>) => void
