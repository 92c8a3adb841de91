import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import PQueue from 'p-queue'
import { unavailable } from '#core/errors'
import type { Log, QueryEngine, Row, SqlParam, SqlQuery } from '#core/ports'
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
  /** Where a folder for what DuckDB spills is made, and removed at the end. Default: the system's. */
  tempDir?: string
  /** What DuckDB may keep in memory before it spills; the default leaves room on a machine of 2 GB. */
  memoryMb?: number
  /** What it may spill to disk. */
  spillMb?: number
  threads?: number
  /** Statements that run at a time; each takes one of the four threads of Node's pool while it runs. */
  concurrency?: number
  /** How long a statement may run. */
  timeoutMs?: number
  /** How long a statement may wait for its turn. */
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

/** An interrupt that comes before the statement has begun is lost, so it is sent again. */
const INTERRUPT_EVERY_MS = 20

/** In the place of an error: the fault was not the statement's, and is gone. */
const TRY_AGAIN = Symbol('try again')

/** `empty` has a file without rows for every table, which gives it its columns before the first event. */
type Database = { instance: DuckDBInstance; empty: Record<TableName, string> }

/** A connection, and the list of files that each table of it was given last. */
type Session = { database: Database; connection: DuckDBConnection; files: Map<TableName, string> }

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
  const idle: Session[] = []
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
    const opened = { instance, empty: await createTables(connection, join(tempDir, 'empty')) }
    idle.push({ database: opened, connection, files: new Map() })
    return opened
  }

  /** Puts a new database in the place of one that a fatal error has closed. */
  async function reopen(closed: Database): Promise<void> {
    if (closed !== database) return
    reopening ??= replace(closed).finally(() => {
      reopening = null
    })
    await reopening
  }

  async function replace(closed: Database): Promise<void> {
    for (const session of idle.splice(0)) session.connection.closeSync()
    database = await open()
    closed.instance.closeSync()
  }

  async function takeSession(): Promise<Session> {
    return idle.pop() ?? { database, connection: await database.instance.connect(), files: new Map() }
  }

  /** A connection that was interrupted late could pass the interrupt on to its next statement. */
  function giveBack(session: Session, interrupted: boolean): void {
    if (interrupted || closing.signal.aborted || session.database !== database) session.connection.closeSync()
    else idle.push(session)
  }

  const rows: QueryEngine['rows'] = async (query, options = {}) => {
    const signal = AbortSignal.any([closing.signal, ...(options.signal ? [options.signal] : [])])
    const wait = limitWait(queueMs, signal)
    return queue.add(
      () => {
        wait.end()
        return inTurn(query, options.snapshot ?? {}, signal)
      },
      { signal: wait.signal },
    )
  }

  /** Runs the statement, again if need be: while files change that it reads, or when another one took the database down. */
  async function inTurn(query: SqlQuery, snapshot: object, signal: AbortSignal): Promise<Row[]> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const began = Date.now()
      let files: string[] = []
      const session = await takeSession()
      const limit = interruptLate(session.connection, deadline - began, signal)
      try {
        signal.throwIfAborted()
        files = await useLake(session, query, listingOf(snapshot))
        return await run(session.connection, query)
      } catch (error) {
        signal.throwIfAborted()
        if (limit.passed()) {
          throw unavailable(`The query took longer than ${timeoutMs / 1000} s; ask for less.`, 10)
        }
        const told = await explain(error, files, session, began)
        if (told !== TRY_AGAIN) throw told
        listings.delete(snapshot)
      } finally {
        giveBack(session, limit.end())
      }
    }
  }

  /** A file that comes while a report runs is in none of its statements: they would contradict each other. */
  function listingOf(snapshot: object): Listing {
    const listing = listings.get(snapshot) ?? new Map()
    listings.set(snapshot, listing)
    return listing
  }

  /** Gives the connection the files of every table that the statement names. */
  async function useLake(session: Session, query: SqlQuery, listing: Listing): Promise<string[]> {
    const used: string[] = []
    for (const table of Object.keys(tables) as TableName[]) {
      if (!new RegExp(`\\b${table}\\b`).test(query.text)) continue
      const scans = (query.scans ?? []).filter(scan => scan.table === table)
      const files = await lakeFiles(lakeDir, table, scans, listing)
      used.push(...files)
      const statement = useFiles(table, [session.database.empty[table], ...files])
      if (session.files.get(table) === statement) continue
      await session.connection.run(statement)
      session.files.set(table, statement)
    }
    return used
  }

  /** What the caller is told of a failed statement, and the log besides; or that it is worth another try. */
  async function explain(error: unknown, files: readonly string[], { database }: Session, began: number) {
    const fault = classifyEngineFailure(error)
    if (fault === 'memory') {
      return unavailable('The query needs more memory than the engine has; ask for less.', 30, error)
    }
    if (fault === 'statement') return error
    if (fault === 'refused') return unavailable('The system does not let the lake be read now.', 10, error)
    if (fault === 'invalidated') {
      await reopen(database)
      return TRY_AGAIN
    }
    const damaged = fault === 'gone' ? null : await findDamaged(error, files)
    if (damaged !== null) {
      log('LAKE_OBJECT_DAMAGED', { key: relative(lakeDir, damaged), reason: String(error) })
      return unavailable('A file of the lake cannot be read; the log of the service names it.', 60, error)
    }
    // Maintenance may have deleted a file after it was listed, and a repair may have made one anew.
    return (await changedSince(files, began)) ? TRY_AGAIN : error
  }

  return {
    rows,
    async close() {
      closing.abort(unavailable('The service is stopping.', 5))
      await queue.onIdle()
      for (const session of idle.splice(0)) session.connection.closeSync()
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
  const timer = setTimeout(() => {
    waiting.abort(unavailable(`The query engine is busy: no turn within ${waitMs / 1000} s.`, 5))
  }, waitMs)
  const end = (): void => {
    clearTimeout(timer)
    caller.removeEventListener('abort', leave)
  }
  waiting.signal.addEventListener('abort', end)
  caller.addEventListener('abort', leave)
  if (caller.aborted) leave()
  return { signal: waiting.signal, end }
}

/** Interrupts what runs on the connection once so many ms have gone by, or at the abort; until `end`. */
function interruptLate(connection: DuckDBConnection, ms: number, signal: AbortSignal) {
  let late = false
  let interrupter: NodeJS.Timeout | undefined
  const stop = (): void => {
    interrupter ??= setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS)
    connection.interrupt()
  }
  const timer = setTimeout(() => {
    late = true
    stop()
  }, ms)
  signal.addEventListener('abort', stop)
  return {
    passed: () => late,
    /** Whether it has interrupted. */
    end(): boolean {
      clearTimeout(timer)
      clearInterval(interrupter)
      signal.removeEventListener('abort', stop)
      return interrupter !== undefined
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
