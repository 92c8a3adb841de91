import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { forEachConcurrent } from '#core/concurrency'
import type { ColdCompactionJob, Compactor, DroppedCopies, EpochCompactionJob } from '#core/lake/compactor'
import { coldKey, partitionValue, warmKey } from '#core/lake/keys'
import type { Lake, Log } from '#core/ports'
import { type Column, type TableName, tables } from '#schemas/columns'
import {
  activityRows,
  bucketsWithEventIds,
  createCopies,
  createEventRowsFromHot,
  createEventRowsFromWarm,
  createSessionStarts,
  sessionRows,
} from './compaction-sql.ts'
import { DamagedObject, findDamaged } from './damaged.ts'
import { classifyEngineFailure } from './fault.ts'
import { writeSortedEvents } from './sorted-events.ts'
import { text, writeEmptyFile } from './tables.ts'
import { toRows } from './values.ts'

export type CompactorSettings = {
  lake: Lake
  /** Each job copies its files into a folder in here. */
  tempDir: string
  log: Log
  memoryMb?: number
  threads?: number
}

/**
 * Large row groups make cold files smaller, because each has its own dictionaries
 * (docs/decisions/2026-11-21-lake-layout.md). Warm files are rewritten within days. Small row groups halve the time of a
 * large epoch, because fewer rows are in memory at a time.
 */
const ROW_GROUP_ROWS = { warm: 61_440, cold: 368_640 } as const
/**
 * Warm files are rewritten within days. Cold files are written once and stay, so a slow level that saves half a byte an
 * event is worth its time. There are no Bloom filters (see copyOptions): they cost 0.6 bytes an event, more than all
 * other overhead of a small file, and help only reads of one user or session.
 */
const ZSTD_LEVEL = { warm: 3, cold: 19 } as const

/** S3 takes tens of ms for a fetch. Each file is in memory while it is written to disk. */
const CONCURRENT_FETCHES = 16

/**
 * Compaction on DuckDB. It reads and writes objects through the Lake port, so it works with a folder and with an S3
 * bucket. Throws DamagedObject if an object of the job is missing or cannot be read, so no rows get lost silently.
 */
export function createCompactor(settings: CompactorSettings): Compactor {
  const { lake, tempDir, log, memoryMb = 512, threads = 2 } = settings

  async function compactEpoch(job: EpochCompactionJob): Promise<DroppedCopies[]> {
    if (job.hot.length === 0) return []
    return withScratchDatabase(async ({ connection, fetch, writeEvents }) => {
      const hotFiles = await fetch('events_hot', job.hot)
      const bucketRows = await runForRows(connection, bucketsWithEventIds(hotFiles, job))
      const buckets = new Set(bucketRows.map(({ bucket }) => bucket))
      const lookbackFiles = await fetch(
        'events_warm',
        job.lookback.filter(key => buckets.has(Number(partitionValue(key, 'bucket')))),
      )
      await connection.run(createCopies(hotFiles, lookbackFiles, job))
      await connection.run(createEventRowsFromHot(hotFiles, job))
      await connection.run(createSessionStarts)
      const selectBuckets = 'SELECT DISTINCT bucket FROM event_rows ORDER BY bucket'
      for (const { bucket } of await runForRows(connection, selectBuckets)) {
        await writeEvents(warmKey(job.epoch, Number(bucket)), 'events_warm', `bucket = ${bucket}`)
      }
      const dropped = await runForRows(
        connection,
        `SELECT project_id, strftime(epoch_ms(arrival * 1000), '%Y-%m-%d') AS day, count(*) AS events
         FROM copies GROUP BY ALL ORDER BY ALL`,
      )
      return dropped as DroppedCopies[]
    })
  }

  async function compactToCold(job: ColdCompactionJob): Promise<void> {
    if (job.warm.length === 0) return
    await withScratchDatabase(async ({ connection, fetch, write, writeEvents }) => {
      await connection.run(createEventRowsFromWarm(await fetch('events_warm', job.warm)))
      await connection.run(createSessionStarts)
      const dates = await runForRows(
        connection,
        'SELECT DISTINCT CAST(date AS varchar) AS date FROM event_rows ORDER BY 1',
      )
      for (const { date } of dates) {
        const key = (table: TableName) => coldKey(table, String(date), job.bucket, job.from, job.until)
        const isOnDate = `date = DATE ${text(String(date))}`
        await writeEvents(key('events_cold'), 'events_cold', isOnDate)
        await write(
          key('sessions_cold'),
          `${selectColumns('sessions_cold')} FROM (${sessionRows(isOnDate, job.from)}) AS session
           ORDER BY project_id, user_key NULLS LAST, start_at, session_key`,
        )
        await write(
          key('activity_cold'),
          `${selectColumns('activity_cold')} FROM (${activityRows(isOnDate, job.from)}) AS activity
           ORDER BY project_id, user_key NULLS LAST, event, country NULLS LAST`,
        )
      }
    })
  }

  type ScratchDatabase = {
    connection: DuckDBConnection
    /**
     * Copies the objects of a table into the folder of the job and returns their paths, after the path of the empty file
     * of the table. The paths end with the keys, so DuckDB can read the partitions from them.
     */
    fetch(table: TableName, keys: readonly string[]): Promise<string[]>
    /** Writes rows of event_rows as an object. */
    writeEvents(key: string, table: 'events_warm' | 'events_cold', where: string): Promise<void>
    /** Writes the rows of a SELECT as an object. They must be few and narrow, because DuckDB sorts them in memory. */
    write(key: string, select: string): Promise<void>
  }

  /** Gives the job a folder and a database, and removes both after it. */
  async function withScratchDatabase<T>(runJob: (database: ScratchDatabase) => Promise<T>): Promise<T> {
    await mkdir(tempDir, { recursive: true })
    const folder = await mkdtemp(join(tempDir, 'compaction-'))
    const fetchedFiles: string[] = []
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

    async function fetch(table: TableName, keys: readonly string[]): Promise<string[]> {
      await forEachConcurrent(keys, CONCURRENT_FETCHES, async key => {
        const bytes = await lake.get(key)
        if (bytes === null) {
          const reason = 'The object does not exist.'
          log('LAKE_OBJECT_DAMAGED', { key, reason })
          throw new DamagedObject(key, reason)
        }
        const path = join(folder, key)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, bytes)
      })
      const files = keys.map(key => join(folder, key))
      fetchedFiles.push(...files)
      return [await writeEmptyFile(connection, folder, table), ...files]
    }

    async function writeEvents(key: string, table: 'events_warm' | 'events_cold', where: string) {
      const tier = table === 'events_warm' ? 'warm' : 'cold'
      const path = join(folder, 'output.parquet')
      const output = { select: selectColumns(table), where, path, options: copyOptions(tier) }
      await writeSortedEvents(connection, { ...output, rowGroupRows: ROW_GROUP_ROWS[tier] }, memoryMb)
      await lake.put(key, await readFile(path))
    }

    async function write(key: string, select: string): Promise<void> {
      const path = join(folder, 'output.parquet')
      await connection.run(
        `COPY (${select}) TO ${text(path)} (${copyOptions('cold')}, ROW_GROUP_SIZE ${ROW_GROUP_ROWS.cold})`,
      )
      await lake.put(key, await readFile(path))
    }

    try {
      return await runJob({ connection, fetch, write, writeEvents })
    } catch (error) {
      const failure = classifyEngineFailure(error)
      const canBeDamage = failure === 'read' || failure === 'invalidated'
      const damagedFile = canBeDamage ? await findDamaged(error, fetchedFiles) : null
      if (damagedFile === null) throw error
      const key = damagedFile.slice(folder.length + 1)
      log('LAKE_OBJECT_DAMAGED', { key, reason: String(error) })
      throw new DamagedObject(key, error)
    } finally {
      connection.closeSync()
      instance.closeSync()
      await rm(folder, { recursive: true, force: true })
    }
  }

  return { compactEpoch, compactToCold }
}

/** Options of COPY, except the rows of a row group. */
function copyOptions(tier: 'warm' | 'cold'): string {
  return `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL ${ZSTD_LEVEL[tier]}, PARQUET_VERSION V2,
    WRITE_BLOOM_FILTER false`
}

/** `SELECT` with all columns of a table, in their types and order. */
function selectColumns(table: TableName): string {
  const columns: readonly Column[] = tables[table].columns
  return `SELECT ${columns.map(({ name, type }) => `CAST(${name} AS ${columnTypes[type]}) AS ${name}`).join(', ')}`
}

const columnTypes = { string: 'VARCHAR', int64: 'BIGINT', timestamp: 'TIMESTAMP_MS' } as const

async function runForRows(connection: DuckDBConnection, statement: string) {
  return toRows(await connection.runAndReadAll(statement))
}
