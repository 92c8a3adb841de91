import type { TableName } from '#schemas/columns'
import type { LogCode } from '#schemas/log'

/**
 * The ports: what core/ needs from the machine that it runs on. aws/ and local/ implement them.
 * test/contract/ has one suite for each port, which runs on every implementation.
 */

/** The current time. */
export type Now = {
  /** Unix milliseconds. */
  now(): number
}

/**
 * The time, for code that also waits. Core has no clock and no timer of its own, so that tests can set and
 * move the time. Code that never waits takes `Now`.
 */
export type Clock = Now & {
  /** Resolves after `ms`, or after 24 days if that is longer. Rejects with the reason of the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * A signal that aborts after `ms` with a TimeoutError. Unlike `sleep` it does not keep the process alive.
   */
  deadline(ms: number): AbortSignal
}

/** One record of a shard. */
export type StreamEntry = {
  /** A decimal integer; compare it as BigInt, never as text. It ascends within a shard, with gaps. */
  sequence: string
  data: Uint8Array
}

/**
 * A durable log in shards. An appended record is never lost. It may be there twice, after a retried append.
 */
export type EventStream = {
  /**
   * Appends the records, each to any shard. Resolves when all of them are durable. Throws ApiError
   * UNAVAILABLE on failure; some records may have been written. `project`: whose records all of them are; a
   * stream may keep those of a project that sends much apart.
   */
  append(records: readonly Uint8Array[], project?: string): Promise<void>
  /** Returns the names of all current shards. */
  shards(): Promise<string[]>
  /**
   * Reads at most `limit` entries of a shard in ascending order, after the sequence `after` (null: from the
   * oldest).
   */
  read(shard: string, after: string | null, limit: number): Promise<StreamEntry[]>
}

/**
 * One object of a listing; `size` in bytes. `writtenAt`: when it was written, Unix ms. A lake whose listing
 * does not tell that leaves it out.
 */
export type LakeObject = { key: string; size: number; writtenAt?: number }

/** Keys of a page of a listing at most: as many as S3 returns at once. */
export const LIST_PAGE = 1_000

/**
 * `next`: the next page is after this key; null: there is none. A page may have no object, and a next one.
 */
export type LakePage = { objects: LakeObject[]; next: string | null }

/** Objects by key. At every moment a key holds a whole object or none. Keys use `/` and no `..`. */
export type Lake = {
  /**
   * Writes or replaces an object, durable when it resolves. Throws ApiError UNAVAILABLE when there is no
   * room.
   */
  put(key: string, bytes: Uint8Array): Promise<void>
  /**
   * Returns the object, or null. `last`: the caller needs so many bytes of its end; it may get more of them.
   */
  get(key: string, last?: number): Promise<Uint8Array | null>
  /** Lists all objects whose key starts with `prefix`, in ascending key order. */
  list(prefix: string): Promise<LakeObject[]>
  /**
   * The same in pages of at most LIST_PAGE keys: those after the key `after`; null: from the first one. For
   * listings whose length nobody knows.
   */
  listPage(prefix: string, after: string | null): Promise<LakePage>
  /** Deletes objects. A key without an object is no error. */
  delete(keys: readonly string[]): Promise<void>
}

/**
 * A condition on the files of a table: only rows of these objects. An engine that opens exactly the files of
 * the scans takes it as true, another one compares the path of the row's file.
 */
export type FileCondition = { readonly files: readonly string[] }

/** A parameter of a statement. */
export type SqlParam = string | number | boolean | null | FileCondition

/**
 * The objects of a table that a statement reads, by their keys. An engine that opens files itself opens only
 * these. `bucket`: the statement uses only rows of this bucket, so an engine may leave out files without any.
 */
export type Scan = { table: TableName; files: readonly string[]; bucket?: number }

/**
 * A statement in Trino's dialect; each `?` of the text takes the next of `params`. `sql` of core/sql/sql.ts
 * makes it. Without a scan of a table the engine lists every file of the table.
 */
export type SqlQuery = {
  readonly text: string
  readonly params: readonly SqlParam[]
  readonly scans?: readonly Scan[]
}

/** One row by column name. Integers are numbers. Statements return no dates, timestamps or nested values. */
export type Row = Record<string, string | number | boolean | null>

/** The cost of one statement. */
export type QueryStatistics = {
  engine: 'athena' | 'duckdb'
  /**
   * The rows of the files that the statement read, also of other projects. Null: the engine does not count
   * them.
   */
  rowsScanned: number | null
  /**
   * Athena: the bytes that the bill counts, also for a failed statement. DuckDB: those of the columns in the
   * files.
   */
  bytesScanned: number
  /** What the bill has for the statement, US dollars; 0 on one machine. */
  costUsd: number
  engineMs: number
  /** The wait until the engine started the statement. */
  queueMs: number
}

/**
 * Runs read statements over the lake's tables (schemas/columns.ts). One SQL text, the same rows on every
 * engine.
 */
export type QueryEngine = {
  /**
   * Whether each scan of a table costs money, so that a statement should not read a table twice to be faster.
   */
  areScansBilled?: boolean
  /**
   * Whether a statement costs nothing although scans are billed. `snapshot` as of `rows`. Absent: none does.
   */
  isFree?(query: SqlQuery, snapshot: Partial<FileSizes> | undefined): boolean
  /**
   * Runs one statement. Throws ApiError UNAVAILABLE when the engine is too busy, starts no more statements
   * now, or the statement takes too long. RATE_LIMITED is for limits of the caller (R3, docs/api/errors.md).
   * An answer has at most MAX_ANSWER_ROWS rows and MAX_ANSWER_BYTES (core/sql/answer-meter.ts); of a larger
   * one it throws UNAVAILABLE.
   * `signal`: cancels the statement when the caller has left; then it rejects with the signal's reason.
   * `snapshot`: statements with the same object read the same files, on an engine that lists files itself.
   * It may know how large they are.
   * `account`: on an engine with a queue, accounts take turns.
   * `isGuest`: the reader has no account of their own (core/accounts/account.ts), so on an engine with a
   * queue the statement comes after those of all accounts, and it gives up early where the engine starts no
   * more.
   * `order`: on an engine with a queue, those of the account's statements with a smaller number come first.
   * All statements of a read have one number, so the read that began first does not wait for later ones.
   * `onStatistics`: called once, before the promise settles, for a statement that ended. Athena also calls it
   * for a statement that failed, because the bill has it.
   */
  rows(
    query: SqlQuery,
    options?: ReadTurn & {
      snapshot?: Partial<FileSizes> | undefined
      onStatistics?: ((statistics: QueryStatistics) => void) | undefined
    },
  ): Promise<Row[]>
}

/** What a statement would read, known without running it. */
export type ScanEstimate = Pick<QueryStatistics, 'bytesScanned' | 'costUsd'> & { rowsScanned: number }

/** The size of a file. */
export type FileSize = { rows: number; bytes: number }

/** What a snapshot knows about its files without opening them. */
export type FileSizes = {
  /** About how large a file is; null for a file that the snapshot does not have. */
  sizeOf(key: string): FileSize | null
}

/**
 * Estimates statements from the files of the lake. The numbers are upper bounds, because an engine may skip
 * parts of files. An engine that cannot open files uses the sizes of the snapshot.
 */
export type ScanEstimator = {
  /** `turn`: as of QueryEngine.rows, on an engine that opens files for the estimate. */
  estimate(query: SqlQuery, snapshot: FileSizes, turn?: ReadTurn): Promise<ScanEstimate>
}

/** Whose turn a statement takes in the queue of an engine. */
export type ReadTurn = {
  signal?: AbortSignal | undefined
  account?: string | undefined
  order?: number | undefined
  isGuest?: boolean | undefined
}

/** Work for later. Every job runs at least once and may run twice. */
export type JobQueue<Job> = {
  send(job: Job): Promise<void>
}

/** One HTTP request to a server whose address is already checked. */
export type NetworkRequest = {
  url: URL
  /**
   * Where to connect to, IPv4 or IPv6. The name of the URL goes into Host and into the check of TLS alone.
   */
  address: string
  method: 'GET' | 'POST'
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>
  body?: Uint8Array | undefined
  /** No more bytes of the response's body are read. */
  maxBytes: number
  signal: AbortSignal
}

export type NetworkResponse = {
  status: number
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>
  /** As it came, compressed or not. Empty for a redirect. */
  body: Uint8Array
  /** The body goes on after `maxBytes`. */
  isCut: boolean
}

/**
 * The machine's way to other servers, without any rule of its own: core/outbound decides where it may lead.
 * Both throw OutboundFailure, or the signal's reason.
 */
export type Network = {
  /** All IPv4 and IPv6 addresses of a host name, by DNS. Empty: it has none. */
  addresses(hostname: string, signal: AbortSignal): Promise<string[]>
  /** Sends one request over a connection of its own. Follows no redirect and uses no proxy. */
  exchange(request: NetworkRequest): Promise<NetworkResponse>
}

/** Secrets by name. Their values are never logged. Sign-in will be the first user. */
export type Secrets = {
  /** Throws ApiError UNAVAILABLE on a transient failure. */
  get(name: string): Promise<string>
}

/** Writes one line of the service's log. Codes come from schemas/log.ts. No personal data, no secrets. */
export type Log = (code: LogCode, fields?: Record<string, unknown>) => void
