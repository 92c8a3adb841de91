import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import PQueue from 'p-queue'
import type { Log, QueryEngine, Row, SqlParam, SqlQuery } from '#core/ports'
import { queryFailure } from '#core/query-failures'
import { findDamaged } from '#duckdb/damaged'
import { classifyEngineFailure } from '#duckdb/fault'
import { dialect } from '#duckdb/macros'
import { createTables, useFiles } from '#duckdb/tables'
import { toRows } from '#duckdb/values'
import { type TableName, tables } from '#schemas/columns'
import { changedSince, type Listing, lakeFiles } from './listing.ts'

export type QueryEngineSettings = {
  /** Folder of the lake. */
  lakeDir: string
  log: Log
  /** Folder in which the engine creates its temporary folder; `close` deletes that. Default: the system's. */
  tempDir?: string
  /** Memory that DuckDB may use before it spills to disk. The default suits a machine of 2 GB. */
  memoryMb?: number
  /** Disk space that DuckDB may use for spilling. */
  spillMb?: number
  threads?: number
  /** Statements that run at the same time. Each takes one of the four threads of Node's pool. */
  concurrency?: number
  /** Longest run time of a statement. */
  timeoutMs?: number
  /** Longest time that a statement may wait in the queue. */
  queueMs?: number
}

export type LocalQueryEngine = QueryEngine & { close(): Promise<void> }

const DEFAULTS = {
  memoryMb: 512,
  spillMb: 4096,
  threads: 2,
  concurrency: 2,
  timeoutMs: 30_000,
  queueMs: 10_000,
} as const

/** DuckDB ignores an interrupt before the statement has started, so the interrupt is repeated. */
const INTERRUPT_EVERY_MS = 20

/** Result of `toCallerError` when the cause of the failure has gone, so the statement should run again. */
const RETRY = Symbol('retry')

/** `emptyFiles` holds a file without rows for each table, so a table has its columns before its first event. */
type Database = { instance: DuckDBInstance; emptyFiles: Record<TableName, string> }

/** A connection, and for each table the statement that last set its files. */
type Session = { database: Database; connection: DuckDBConnection; fileStatements: Map<TableName, string> }

/** The QueryEngine port on DuckDB over the Parquet files of a folder. */
export async function openQueryEngine(settings: QueryEngineSettings): Promise<LocalQueryEngine> {
  const { lakeDir, log, memoryMb, spillMb, threads, concurrency, timeoutMs, queueMs } = {
    ...DEFAULTS,
    ...settings,
  }
  const parent = settings.tempDir ?? tmpdir()
  await mkdir(parent, { recursive: true })
  const tempDir = await mkdtemp(join(parent, 'query-'))
  const queue = new PQueue({ concurrency })
  const idleSessions: Session[] = []
  const listings = new WeakMap<object, Listing>()
  const closing = new AbortController()
  let database = await open()
  let reopening: Promise<void> | null = null

  async function open(): Promise<Database> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(threads),
      memory_limit: `${memoryMb}MB`,
      temp_directory: join(tempDir, 'spill'),
      max_temp_directory_size: `${spillMb}MB`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    const connection = await instance.connect()
    for (const statement of dialect) await connection.run(statement)
    const opened = { instance, emptyFiles: await createTables(connection, join(tempDir, 'empty')) }
    idleSessions.push({ database: opened, connection, fileStatements: new Map() })
    return opened
  }

  /** Replaces a database that a fatal error has closed. */
  async function reopen(closed: Database): Promise<void> {
    if (closed !== database) return
    reopening ??= replace(closed).finally(() => {
      reopening = null
    })
    await reopening
  }

  async function replace(closed: Database): Promise<void> {
    for (const session of idleSessions.splice(0)) session.connection.closeSync()
    database = await open()
    closed.instance.closeSync()
  }

  async function takeSession(): Promise<Session> {
    return (
      idleSessions.pop() ?? {
        database,
        connection: await database.instance.connect(),
        fileStatements: new Map(),
      }
    )
  }

  /** Closes an interrupted connection, because a late interrupt could still stop its next statement. */
  function returnSession(session: Session, isInterrupted: boolean): void {
    const isReusable = !isInterrupted && !closing.signal.aborted && session.database === database
    if (isReusable) idleSessions.push(session)
    else session.connection.closeSync()
  }

  const rows: QueryEngine['rows'] = async (query, options = {}) => {
    const signal = AbortSignal.any([closing.signal, ...(options.signal ? [options.signal] : [])])
    const wait = limitWait(queueMs, signal)
    return queue.add(
      () => {
        wait.end()
        return runWithRetries(query, options.snapshot ?? {}, signal)
      },
      { signal: wait.signal },
    )
  }

  /**
   * Runs the statement again when one of its files changed during the run, or when another statement broke the
   * database.
   */
  async function runWithRetries(query: SqlQuery, snapshot: object, signal: AbortSignal): Promise<Row[]> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const startedAt = Date.now()
      let files: string[] = []
      const session = await takeSession()
      const interrupter = startInterrupter(session.connection, deadline - startedAt, signal)
      try {
        signal.throwIfAborted()
        files = await useLake(session, query, listingOf(snapshot))
        return await run(session.connection, query)
      } catch (error) {
        signal.throwIfAborted()
        if (interrupter.isTimedOut()) throw queryFailure('timeout')
        const callerError = await toCallerError(error, files, session, startedAt)
        if (callerError !== RETRY) throw callerError
        listings.delete(snapshot)
      } finally {
        returnSession(session, interrupter.end())
      }
    }
  }

  /**
   * All statements of a snapshot read the same files. Otherwise a new file could be in only some of a report's
   * statements.
   */
  function listingOf(snapshot: object): Listing {
    const listing = listings.get(snapshot) ?? new Map()
    listings.set(snapshot, listing)
    return listing
  }

  /** Sets the files of each table that the statement names. Returns the paths of all these files. */
  async function useLake(session: Session, query: SqlQuery, listing: Listing): Promise<string[]> {
    const usedFiles: string[] = []
    for (const table of Object.keys(tables) as TableName[]) {
      if (!new RegExp(`\\b${table}\\b`).test(query.text)) continue
      const scans = (query.scans ?? []).filter(scan => scan.table === table)
      const files = await lakeFiles(lakeDir, table, scans, listing)
      usedFiles.push(...files)
      const statement = useFiles(table, [session.database.emptyFiles[table], ...files])
      if (session.fileStatements.get(table) === statement) continue
      await session.connection.run(statement)
      session.fileStatements.set(table, statement)
    }
    return usedFiles
  }

  /** Converts the failure of a statement to the error for the caller, or to RETRY. Logs a damaged file. */
  async function toCallerError(
    error: unknown,
    files: readonly string[],
    { database }: Session,
    startedAt: number,
  ) {
    const fault = classifyEngineFailure(error)
    if (fault === 'memory') return queryFailure('memory', error)
    if (fault === 'statement') return error
    if (fault === 'refused') return queryFailure('refused', error)
    if (fault === 'invalidated') {
      await reopen(database)
      return RETRY
    }
    const damaged = fault === 'gone' ? null : await findDamaged(error, files)
    if (damaged !== null) {
      log('LAKE_OBJECT_DAMAGED', { key: relative(lakeDir, damaged), reason: String(error) })
      return queryFailure('damaged', error)
    }
    // After a file was listed, maintenance may have deleted it, or a repair may have replaced it.
    return (await changedSince(files, startedAt)) ? RETRY : error
  }

  return {
    rows,
    async close() {
      closing.abort(queryFailure('stopping'))
      await queue.onIdle()
      for (const session of idleSessions.splice(0)) session.connection.closeSync()
      database.instance.closeSync()
      await rm(tempDir, { recursive: true, force: true })
    },
  }
}

/**
 * A signal that takes a statement out of the queue: when its caller leaves, or with UNAVAILABLE after `waitMs`. Nothing
 * aborts it after `end`, because a statement that runs must end before the next one may start.
 */
function limitWait(waitMs: number, caller: AbortSignal): { signal: AbortSignal; end(): void } {
  const waiting = new AbortController()
  const leave = (): void => waiting.abort(caller.reason)
  const timer = setTimeout(() => waiting.abort(queryFailure('busy')), waitMs)
  const end = (): void => {
    clearTimeout(timer)
    caller.removeEventListener('abort', leave)
  }
  waiting.signal.addEventListener('abort', end)
  caller.addEventListener('abort', leave)
  if (caller.aborted) leave()
  return { signal: waiting.signal, end }
}

/** Interrupts the statement that runs on the connection after `ms`, or when the signal aborts. `end` stops this. */
function startInterrupter(connection: DuckDBConnection, ms: number, signal: AbortSignal) {
  let isTimedOut = false
  let repetition: NodeJS.Timeout | undefined
  const interrupt = (): void => {
    repetition ??= setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS)
    connection.interrupt()
  }
  const timer = setTimeout(() => {
    isTimedOut = true
    interrupt()
  }, ms)
  signal.addEventListener('abort', interrupt)
  return {
    isTimedOut: () => isTimedOut,
    /** Returns whether the statement was interrupted. */
    end(): boolean {
      clearTimeout(timer)
      clearInterval(repetition)
      signal.removeEventListener('abort', interrupt)
      return repetition !== undefined
    },
  }
}

async function run(connection: DuckDBConnection, query: SqlQuery): Promise<Row[]> {
  const statement = await connection.prepare(query.text)
  try {
    query.params.forEach((param, i) => {
      bind(statement, i + 1, param)
    })
    return toRows(await statement.runAndReadAll())
  } finally {
    statement.destroySync()
  }
}

function bind(
  statement: Awaited<ReturnType<DuckDBConnection['prepare']>>,
  index: number,
  param: SqlParam,
): void {
  if (param === null) statement.bindNull(index)
  else if (typeof param === 'string') statement.bindVarchar(index, param)
  else if (typeof param === 'boolean') statement.bindBoolean(index, param)
  else if (Number.isSafeInteger(param) && !Object.is(param, -0)) statement.bindBigInt(index, BigInt(param))
  else statement.bindDouble(index, param)
}
