import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { unavailable } from '#core/errors'
import type { Log, QueryEngine, Row, SqlParam, SqlQuery } from '#core/ports'
import { findDamaged } from '#duckdb/damaged'
import { readFault } from '#duckdb/fault'
import { dialect } from '#duckdb/macros'
import { createTables, useFiles } from '#duckdb/tables'
import { toRows } from '#duckdb/values'
import { type TableName, tables } from '#schemas/columns'
import { lakeFiles } from './lake-listing.ts'
import { semaphore } from './semaphore.ts'

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

/** A connection, and the list of files that each table of it was given last. */
type Session = { connection: DuckDBConnection; files: Map<TableName, string> }

/** The QueryEngine port on DuckDB over the Parquet files of a folder. */
export async function openQueryEngine(settings: QueryEngineSettings): Promise<LocalQueryEngine> {
  const { lakeDir, log, memoryMb, spillMb, threads, concurrency, timeoutMs, queueMs } = {
    ...DEFAULTS,
    ...settings,
  }
  const parent = settings.tempDir ?? tmpdir()
  await mkdir(parent, { recursive: true })
  const tempDir = await mkdtemp(join(parent, 'footfall-query-'))
  const turns = semaphore(concurrency)
  const idle: Session[] = []
  const running = new Set<Promise<unknown>>()
  const closing = new AbortController()
  let database = await open()

  async function open() {
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
    const empty = await createTables(connection, join(tempDir, 'empty'))
    idle.push({ connection, files: new Map() })
    return { instance, empty }
  }

  async function rows(query: SqlQuery, options: { signal?: AbortSignal | undefined } = {}): Promise<Row[]> {
    const signal = AbortSignal.any([closing.signal, ...(options.signal ? [options.signal] : [])])
    signal.throwIfAborted()
    if (!(await turns.enter(queueMs, signal))) {
      throw unavailable(`The query engine is busy: no turn within ${queueMs / 1000} s.`, 5)
    }
    const work = inTurn(query, signal).finally(() => turns.leave())
    running.add(work)
    try {
      return await work
    } finally {
      running.delete(work)
    }
  }

  async function inTurn(query: SqlQuery, signal: AbortSignal): Promise<Row[]> {
    const session = idle.pop() ?? { connection: await database.instance.connect(), files: new Map() }
    let files: string[] = []
    let interrupter: NodeJS.Timeout | undefined
    let late = false
    const stop = (): void => {
      interrupter ??= setInterval(() => session.connection.interrupt(), INTERRUPT_EVERY_MS)
      session.connection.interrupt()
    }
    const timer = setTimeout(() => {
      late = true
      stop()
    }, timeoutMs)
    signal.addEventListener('abort', stop)
    try {
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted()
        try {
          files = await useLake(session, query)
          return await run(session.connection, query)
        } catch (error) {
          // Maintenance may have deleted a file after it was listed.
          if (attempt === 1 && readFault(error) === 'gone') continue
          throw error
        }
      }
    } catch (error) {
      signal.throwIfAborted()
      if (late) throw unavailable(`The query took longer than ${timeoutMs / 1000} s; ask for less.`, 10)
      throw await explain(error, files)
    } finally {
      clearTimeout(timer)
      clearInterval(interrupter)
      signal.removeEventListener('abort', stop)
      // A connection that was interrupted late could pass the interrupt on to its next statement.
      if (interrupter === undefined && !closing.signal.aborted) idle.push(session)
      else session.connection.closeSync()
    }
  }

  /** Gives the connection the files of every table that the statement names. */
  async function useLake(session: Session, query: SqlQuery): Promise<string[]> {
    const used: string[] = []
    for (const table of Object.keys(tables) as TableName[]) {
      if (!new RegExp(`\\b${table}\\b`).test(query.text)) continue
      const scans = (query.scans ?? []).filter(scan => scan.table === table)
      const files = await lakeFiles(lakeDir, table, scans)
      used.push(...files)
      const statement = useFiles(table, [database.empty[table], ...files])
      if (session.files.get(table) === statement) continue
      await session.connection.run(statement)
      session.files.set(table, statement)
    }
    return used
  }

  /** What the caller is told of a failed statement; the log gets the rest. */
  async function explain(error: unknown, files: readonly string[]): Promise<unknown> {
    const fault = readFault(error)
    if (fault === 'memory') {
      return unavailable('The query needs more memory than the engine has; ask for less.', 30, error)
    }
    if (fault === 'statement') return error
    const damaged = await findDamaged(error, files)
    if (fault === 'invalidated') await reopen()
    if (damaged === null) return error
    log('LAKE_OBJECT_DAMAGED', { key: relative(lakeDir, damaged), reason: String(error) })
    return unavailable('A file of the lake cannot be read; the log of the service names it.', 60, error)
  }

  async function reopen(): Promise<void> {
    for (const session of idle.splice(0)) session.connection.closeSync()
    database = await open()
  }

  return {
    rows,
    async close() {
      closing.abort(unavailable('The service is stopping.', 5))
      await Promise.allSettled(running)
      for (const session of idle.splice(0)) session.connection.closeSync()
      database.instance.closeSync()
      await rm(tempDir, { recursive: true, force: true })
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
