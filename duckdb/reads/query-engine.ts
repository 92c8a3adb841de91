import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { createSharedRuns } from '#core/async/shared-runs'
import type { Log, QueryEngine, QueryStatistics, Row, Scan, ScanEstimator, SqlQuery } from '#core/ports'
import { ANSWER_LIMITS, type AnswerLimits } from '#core/sql/answer-meter'
import { queryFailure } from '#core/sql/query-failures'
import { findDamaged } from '#duckdb/damaged'
import { classifyEngineFailure } from '#duckdb/fault'
import { startInterrupter } from '#duckdb/interrupter'
import { dialect } from '#duckdb/macros'
import { createTables, useFiles } from '#duckdb/tables'
import { type TableName, tables } from '#schemas/columns'
import { createFileFooters } from './file-footers.ts'
import { type FileList, toFileLists } from './file-lists.ts'
import { createHotFiles } from './hot-files.ts'
import { changedSince, findMissing, listFiles } from './listing.ts'
import { runStatement } from './statement.ts'
import { createTurns, type Place } from './turns.ts'
import { limitWait } from './wait-limit.ts'

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
  /**
   * Statements of one account that run at the same time. One more may run of another account. Each takes one
   * of the four threads of Node's pool.
   */
  concurrency?: number
  /** Longest run time of a statement. */
  timeoutMs?: number
  /** Longest time that a statement may wait in the queue. */
  queueMs?: number
  /** The largest answer. */
  answerLimits?: AnswerLimits
}

export type LocalQueryEngine = QueryEngine &
  ScanEstimator & {
    /** Gives memory that the process has freed back to the system. */
    freeMemory(): Promise<void>
    close(): Promise<void>
  }

const DEFAULTS = {
  memoryMb: 512,
  spillMb: 4096,
  threads: 2,
  concurrency: 2,
  timeoutMs: 30_000,
  queueMs: 10_000,
  answerLimits: ANSWER_LIMITS,
} as const

/** Result of `toCallerError` when the cause of the failure has gone, so the statement should run again. */
const RETRY = Symbol('retry')

/**
 * `emptyFiles` holds a file without rows for each table, so a table has its columns before its first event.
 */
type Database = { instance: DuckDBInstance; emptyFiles: Record<TableName, string> }

/** A connection, and for each list of files the statement that last set it. */
type Session = { database: Database; connection: DuckDBConnection; fileStatements: Map<string, string> }

/** The message of DuckDB without its stack trace. */
function firstLine(error: unknown): string {
  return String(error).split('\n', 1)[0] ?? ''
}

/** What a run gives to each of its callers. */
type RunResult = { rows: Row[]; statistics: QueryStatistics }

/** The QueryEngine port on DuckDB over the Parquet files of a folder. */
export async function openQueryEngine(settings: QueryEngineSettings): Promise<LocalQueryEngine> {
  const { lakeDir, log, memoryMb, spillMb, threads, concurrency, timeoutMs, queueMs, answerLimits } = {
    ...DEFAULTS,
    ...settings,
  }
  const parent = settings.tempDir ?? tmpdir()
  await mkdir(parent, { recursive: true })
  const tempDir = await mkdtemp(join(parent, 'query-'))
  const turns = createTurns({ total: concurrency + 1, perOwner: concurrency })
  const shareRun = createSharedRuns<RunResult>()
  const footers = createFileFooters()
  const idleSessions: Session[] = []
  const closing = new AbortController()
  let database = await open()
  let reopening: Promise<void> | null = null
  const hotFiles = createHotFiles({
    lakeDir,
    footerOf: footers.of,
    dir: join(tempDir, 'joined'),
    keepMs: 2 * timeoutMs,
    connect: () => database.instance.connect(),
  })

  async function open(): Promise<Database> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(threads),
      memory_limit: `${memoryMb}MB`,
      temp_directory: join(tempDir, 'spill'),
      max_temp_directory_size: `${spillMb}MB`,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allocator_background_threads: 'true',
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
    const { snapshot = {}, account = '', order = 0, isGuest = false, onStatistics } = options
    const signal = AbortSignal.any([closing.signal, ...(options.signal ? [options.signal] : [])])
    // An account never waits for the turn of a guest.
    const key = JSON.stringify([query.text, query.params, isGuest])
    const { rows, statistics } = await shareRun({ scope: snapshot, key, signal }, async runSignal => {
      const queuedAt = Date.now()
      return takeTurn({ owner: account, order, isGuest }, runSignal, () =>
        runWithRetries(query, runSignal, Date.now() - queuedAt),
      )
    })
    onStatistics?.(statistics)
    return rows
  }

  const estimate: ScanEstimator['estimate'] = (query, _, { account = '', order = 0, ...turn } = {}) => {
    const signal = AbortSignal.any([closing.signal, ...(turn.signal ? [turn.signal] : [])])
    return takeTurn({ owner: account, order, isGuest: turn.isGuest ?? false }, signal, async () => {
      const session = await takeSession()
      try {
        const { files } = await useLake(session, query)
        return { ...(await footers.measure(session.connection, files, query.text)), costUsd: 0 }
      } finally {
        returnSession(session, false)
      }
    })
  }

  /** Runs the work when it is its turn. Throws UNAVAILABLE after `queueMs`. */
  async function takeTurn<T>(place: Place, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const wait = limitWait({ waitMs: queueMs, failure: place.isGuest ? 'guests' : 'busy' }, signal)
    const begin = () => {
      wait.end()
      return work()
    }
    return turns.take(place, begin, wait.signal).finally(wait.end)
  }

  /**
   * Runs the statement again when one of its files changed during the run, or when another statement broke
   * the database. A statement that breaks the database itself runs once more, on a new one: the known
   * internal errors of DuckDB are races between its threads
   * (docs/decisions/2026-11-23-windows-without-order.md).
   */
  async function runWithRetries(query: SqlQuery, signal: AbortSignal, queueMs: number): Promise<RunResult> {
    const deadline = Date.now() + timeoutMs
    let hasBrokenEngine = false
    for (;;) {
      const startedAt = Date.now()
      let files: string[] = []
      let hasJoined = false
      const session = await takeSession()
      const interrupter = startInterrupter(session.connection, signal, deadline - startedAt)
      try {
        signal.throwIfAborted()
        const lake = await useLake(session, query)
        files = lake.files
        hasJoined = lake.hasJoined
        const rows = await runStatement(session.connection, lake.query, answerLimits)
        const engineMs = Date.now() - startedAt
        const size = await footers.measure(session.connection, files, query.text)
        return {
          rows,
          statistics: { engine: 'duckdb', ...size, costUsd: 0, engineMs, queueMs },
        }
      } catch (error) {
        signal.throwIfAborted()
        if (interrupter.isTimedOut()) throw queryFailure('timeout')
        const fault = classifyEngineFailure(error)
        if (hasJoined && (fault === 'gone' || fault === 'read')) {
          await hotFiles.forget()
          continue
        }
        if (fault === 'internal') {
          log('QUERY_ENGINE_BROKEN', { reason: firstLine(error), retried: !hasBrokenEngine })
          await reopen(session.database)
          if (!hasBrokenEngine) {
            hasBrokenEngine = true
            continue
          }
        }
        const callerError = await toCallerError(error, query, files, session, startedAt)
        if (callerError !== RETRY) throw callerError
      } finally {
        returnSession(session, interrupter.end())
      }
    }
  }

  /**
   * Sets the files of each scan of the statement. Returns the statement that reads them, the paths of all
   * files of the lake whose rows it reads, and whether it opens joined files.
   */
  async function useLake(session: Session, query: SqlQuery) {
    const { query: named, lists } = toFileLists(query)
    const usedFiles = new Set<string>()
    let hasJoined = false
    for (const { name, table, files, bucket } of [...lists, ...(await listUnnamed(query.text, lists))]) {
      const chosen =
        table === 'events_hot'
          ? hotFiles.choose(files, bucket)
          : { paths: toPaths(files), keys: files, hasJoined: false }
      hasJoined ||= chosen.hasJoined
      for (const path of toPaths(chosen.keys)) usedFiles.add(path)
      const statement = useFiles(name, [session.database.emptyFiles[table], ...chosen.paths])
      if (session.fileStatements.get(name) === statement) continue
      await session.connection.run(statement)
      session.fileStatements.set(name, statement)
    }
    return { query: named, files: [...usedFiles], hasJoined }
  }

  /** For each table that the statement names and has no scan of: all files of the table. */
  async function listUnnamed(text: string, lists: readonly FileList[]): Promise<FileList[]> {
    const unnamed = (Object.keys(tables) as TableName[]).filter(
      table => new RegExp(`\\b${table}\\b`).test(text) && !lists.some(list => list.table === table),
    )
    return Promise.all(
      unnamed.map(async table => ({ name: table, table, files: await listFiles(lakeDir, table) })),
    )
  }

  function toPaths(keys: readonly string[]): string[] {
    return keys.map(key => join(lakeDir, key))
  }

  /** The paths of the files that scans name, each once. */
  function pathsOf(scans: readonly Scan[]): string[] {
    return toPaths([...new Set(scans.flatMap(({ files }) => files))])
  }

  /** Converts the failure of a statement to the error for the caller, or to RETRY. Logs a damaged file. */
  async function toCallerError(
    error: unknown,
    { scans = [] }: SqlQuery,
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
    const damaged = fault === 'gone' ? await findMissing(pathsOf(scans)) : await findDamaged(error, files)
    if (damaged !== null) {
      log('LAKE_OBJECT_DAMAGED', { key: relative(lakeDir, damaged), reason: String(error) })
      return queryFailure('damaged', error)
    }
    // A file that was only listed may have been superseded and deleted, and a repair may have replaced any
    // file.
    if (await changedSince(files, startedAt)) return RETRY
    return fault === 'internal' ? queryFailure('failed', error) : error
  }

  return {
    rows,
    estimate,
    async freeMemory() {
      if (closing.signal.aborted) return
      const session = await takeSession()
      // DuckDB calls malloc_trim of the C library for it. Node has no call for that.
      await session.connection.run(`SET memory_limit = '${memoryMb}MB'`)
      returnSession(session, false)
    },
    async close() {
      closing.abort(queryFailure('stopping'))
      await turns.whenIdle()
      await hotFiles.close()
      for (const session of idleSessions.splice(0)) session.connection.closeSync()
      database.instance.closeSync()
      await rm(tempDir, { recursive: true, force: true })
    },
  }
}
