import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { forEachConcurrent } from '#core/async/concurrency'
import type { Lake, Log, Row } from '#core/ports'
import type { TableName } from '#schemas/columns'
import { DamagedObject, findDamaged } from './damaged.ts'
import { classifyEngineFailure, mayBeDamage } from './fault.ts'
import { startInterrupter } from './interrupter.ts'
import { writeEmptyFile } from './tables.ts'
import { toRows } from './values.ts'

export type ScratchSettings = {
  lake: Lake
  /** Each job copies its files into a folder in here. */
  tempDir: string
  log: Log
  memoryMb: number
  threads: number
  /**
   * Cuts off the jobs: the running statement is interrupted, and the job rejects with the signal's reason.
   */
  signal?: AbortSignal
}

/** A database and a folder for one job. */
export type ScratchDatabase = {
  connection: DuckDBConnection
  folder: string
  run(statement: string): Promise<void>
  rows(statement: string): Promise<Row[]>
  /**
   * Copies the objects of a table into the folder and returns their paths, after the path of the empty file
   * of the table. Throws DamagedObject if one does not exist.
   */
  fetch(table: TableName, keys: readonly string[]): Promise<string[]>
  /**
   * Runs statements and their work on files one after the other, while objects of several buckets are fetched
   * and put.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Deletes fetched copies, so that the disk never holds more than a job needs at a time. */
  drop(files: readonly string[]): Promise<void>
  /** Throws if the job is cut off. */
  throwIfAborted(): void
  /**
   * The DamagedObject that made a statement fail; any other error is returned as it is. Throws if the job is
   * cut off.
   */
  explainFailure(error: unknown): Promise<unknown>
}

/** S3 takes tens of ms for a fetch. Each file is in memory while it is written to disk. */
const CONCURRENT_FETCHES = 16

const NEVER = new AbortController().signal

/**
 * Gives a job a folder and a database, and removes both after it. Throws DamagedObject for an object that
 * cannot be read.
 */
export async function withScratchDatabase<T>(
  { lake, tempDir, log, memoryMb, threads, signal = NEVER }: ScratchSettings,
  runJob: (database: ScratchDatabase) => Promise<T>,
): Promise<T> {
  await mkdir(tempDir, { recursive: true })
  const folder = await mkdtemp(join(tempDir, 'compaction-'))
  const fetchedFiles = new Set<string>()
  const emptyFiles = new Map<TableName, Promise<string>>()
  let lastWork: Promise<unknown> = Promise.resolve()
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryMb}MB`,
    temp_directory: join(folder, 'spill'),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // Returns freed memory to the system. The peak of a large compaction is a fifth to a third lower.
    allocator_background_threads: 'true',
  })
  const connection = await instance.connect()
  const interrupter = startInterrupter(connection, signal)

  async function fetch(table: TableName, keys: readonly string[]): Promise<string[]> {
    signal.throwIfAborted()
    await forEachConcurrent(keys, CONCURRENT_FETCHES, async key => {
      const bytes = await lake.get(key)
      if (bytes === null) throw reportDamage(key, 'The object does not exist.')
      const path = join(folder, key)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, bytes)
      fetchedFiles.add(path)
    })
    const emptyFile = emptyFiles.get(table) ?? exclusively(() => writeEmptyFile(connection, folder, table))
    emptyFiles.set(table, emptyFile)
    return [await emptyFile, ...keys.map(key => join(folder, key))]
  }

  async function drop(files: readonly string[]): Promise<void> {
    for (const file of files) if (fetchedFiles.delete(file)) await rm(file, { force: true })
  }

  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = lastWork.then(work, work)
    lastWork = result
    return result
  }

  async function explainFailure(error: unknown): Promise<unknown> {
    signal.throwIfAborted()
    if (error instanceof DamagedObject) return error
    const file = mayBeDamage(classifyEngineFailure(error))
      ? await findDamaged(error, [...fetchedFiles])
      : null
    return file === null ? error : reportDamage(file.slice(folder.length + 1), error)
  }

  function reportDamage(key: string, reason: unknown): DamagedObject {
    log('LAKE_OBJECT_DAMAGED', { key, reason: String(reason) })
    return new DamagedObject(key, reason)
  }

  try {
    return await runJob({
      connection,
      folder,
      async run(statement) {
        signal.throwIfAborted()
        await connection.run(statement)
      },
      async rows(statement) {
        signal.throwIfAborted()
        return toRows(await connection.runAndReadAll(statement))
      },
      fetch,
      exclusively,
      drop,
      throwIfAborted: () => signal.throwIfAborted(),
      explainFailure,
    })
  } catch (error) {
    throw await explainFailure(error)
  } finally {
    interrupter.end()
    connection.closeSync()
    instance.closeSync()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The number of rows of a SELECT. */
export async function countRows(database: ScratchDatabase, select: string): Promise<number> {
  const [row] = await database.rows(`SELECT count(*) AS rows FROM (${select})`)
  return Number(row?.rows)
}
