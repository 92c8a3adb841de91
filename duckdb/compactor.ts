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
  copiesTable,
  keptTable,
  rolledTable,
  sessionRows,
  sessionStarts,
} from './compaction-sql.ts'
import { DamagedObject, findDamaged } from './damaged.ts'
import { classifyEngineFailure } from './fault.ts'
import { writeSortedEvents } from './sorted-events.ts'
import { text } from './tables.ts'
import { toRows } from './values.ts'

export type CompactorSettings = {
  lake: Lake
  /** Where the files of a job are copied to while it runs. */
  tempDir: string
  log: Log
  memoryMb?: number
  threads?: number
}

/**
 * In cold fewer cost bytes, for dictionaries (docs/decisions/2026-11-21-lake-layout.md). In warm, which is rewritten
 * within days, few rows at once keep a large epoch within the memory: half the time.
 */
const ROW_GROUP_ROWS = { warm: 61_440, cold: 368_640 } as const
/**
 * No Bloom filters: they cost 0.6 bytes an event, more than all else that a small file holds beside its rows, and
 * only reads of one user or session could skip by them.
 * Warm is rewritten within days; cold is written once and stays, so another half byte an event is worth the time.
 */
const ZSTD_LEVEL = { warm: 3, cold: 19 } as const

/** A bucket answers each fetch after tens of ms; a file is in memory as long as it takes to write it. */
const FETCHED_AT_ONCE = 16

/**
 * Compaction on DuckDB. Objects come and go through the Lake port, so that it runs beside a folder and beside a
 * bucket. Throws DamagedObject when an object of the job cannot be read: nothing is left out silently.
 */
export function createCompactor(settings: CompactorSettings): Compactor {
  const { lake, tempDir, log, memoryMb = 512, threads = 2 } = settings

  async function compactEpoch(job: EpochCompactionJob): Promise<DroppedCopies[]> {
    return withScratchDatabase(async ({ connection, fetch, writeEvents }) => {
      if (job.hot.length === 0) return []
      const hot = await fetch(job.hot)
      const ofSenders = await rowsOf(connection, bucketsWithEventIds(hot, job))
      const buckets = new Set(ofSenders.map(({ bucket }) => bucket))
      const lookback = await fetch(
        job.lookback.filter(key => buckets.has(Number(partitionValue(key, 'bucket')))),
      )
      await connection.run(copiesTable(hot, lookback, job))
      await connection.run(keptTable(hot, job))
      await connection.run(sessionStarts)
      for (const { bucket } of await rowsOf(connection, 'SELECT DISTINCT bucket FROM kept ORDER BY bucket')) {
        await writeEvents(warmKey(job.epoch, Number(bucket)), 'events_warm', `bucket = ${bucket}`)
      }
      const dropped = await rowsOf(
        connection,
        `SELECT project_id, strftime(epoch_ms(arrived_at * 1000), '%Y-%m-%d') AS day, count(*) AS events
         FROM copies GROUP BY ALL ORDER BY ALL`,
      )
      return dropped as DroppedCopies[]
    })
  }

  async function compactToCold(job: ColdCompactionJob): Promise<void> {
    await withScratchDatabase(async ({ connection, fetch, write, writeEvents }) => {
      const warm = await fetch(job.warm)
      if (warm.length === 0) return
      await connection.run(rolledTable(warm))
      await connection.run(sessionStarts)
      const dates = await rowsOf(
        connection,
        'SELECT DISTINCT CAST(date AS varchar) AS date FROM kept ORDER BY 1',
      )
      for (const { date } of dates) {
        const key = (table: TableName) => coldKey(table, String(date), job.bucket, job.from, job.until)
        const ofDate = `date = DATE ${text(String(date))}`
        await writeEvents(key('events_cold'), 'events_cold', ofDate)
        await write(
          key('sessions_cold'),
          `${selectFor('sessions_cold')} FROM (${sessionRows(ofDate, job.from)}) AS session
           ORDER BY project_id, user_key NULLS LAST, start_at, session_key`,
        )
        await write(
          key('activity_cold'),
          `${selectFor('activity_cold')} FROM (${activityRows(ofDate, job.from)}) AS activity
           ORDER BY project_id, user_key NULLS LAST, event, country NULLS LAST`,
        )
      }
    })
  }

  type ScratchDatabase = {
    connection: DuckDBConnection
    /** Copies the objects here; the paths end with the keys, so that their partitions are read too. */
    fetch(keys: readonly string[]): Promise<string[]>
    /** Writes events of the table kept as the object of a key. */
    writeEvents(key: string, table: 'events_warm' | 'events_cold', where: string): Promise<void>
    /** Writes the rows of a SELECT, which are few and narrow, as the object of a key. */
    write(key: string, rows: string): Promise<void>
  }

  /** A folder and a database of its own for one job, taken down after it. */
  async function withScratchDatabase<T>(work: (workshop: ScratchDatabase) => Promise<T>): Promise<T> {
    await mkdir(tempDir, { recursive: true })
    const folder = await mkdtemp(join(tempDir, 'merge-'))
    const fetched: string[] = []
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(threads),
      memory_limit: `${memoryMb}MB`,
      temp_directory: join(folder, 'spill'),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      // Gives freed memory back to the system: a fifth to a third less at the peak of a large compaction.
      allocator_background_threads: 'true',
    })
    const connection = await instance.connect()

    async function fetch(keys: readonly string[]): Promise<string[]> {
      await forEachConcurrent(keys, FETCHED_AT_ONCE, async key => {
        const bytes = await lake.get(key)
        if (bytes === null) {
          log('LAKE_OBJECT_DAMAGED', { key, reason: 'it is not there' })
          throw new DamagedObject(key, 'it is not there')
        }
        const path = join(folder, key)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, bytes)
      })
      const paths = keys.map(key => join(folder, key))
      fetched.push(...paths)
      return paths
    }

    async function writeEvents(key: string, table: 'events_warm' | 'events_cold', where: string) {
      const stage = table === 'events_warm' ? 'warm' : 'cold'
      const path = join(folder, 'made.parquet')
      const wanted = { select: selectFor(table), where, path, options: options(stage) }
      await writeSortedEvents(connection, { ...wanted, rowGroupRows: ROW_GROUP_ROWS[stage] }, memoryMb)
      await lake.put(key, await readFile(path))
    }

    async function write(key: string, rows: string): Promise<void> {
      const path = join(folder, 'made.parquet')
      await connection.run(
        `COPY (${rows}) TO ${text(path)} (${options('cold')}, ROW_GROUP_SIZE ${ROW_GROUP_ROWS.cold})`,
      )
      await lake.put(key, await readFile(path))
    }

    try {
      return await work({ connection, fetch, write, writeEvents })
    } catch (error) {
      const fault = classifyEngineFailure(error)
      const damaged = fault === 'read' || fault === 'invalidated' ? await findDamaged(error, fetched) : null
      if (damaged === null) throw error
      const key = damaged.slice(folder.length + 1)
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

/** Options of COPY, but for the rows of a row group. */
function options(stage: 'warm' | 'cold'): string {
  return `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL ${ZSTD_LEVEL[stage]}, PARQUET_VERSION V2,
    WRITE_BLOOM_FILTER false`
}

/** `SELECT` of a table's columns in their stored types and order. */
function selectFor(table: TableName): string {
  const columns: readonly Column[] = tables[table].columns
  return `SELECT ${columns.map(({ name, type }) => `CAST(${name} AS ${storedTypes[type]}) AS ${name}`).join(', ')}`
}

const storedTypes = { string: 'VARCHAR', int64: 'BIGINT', timestamp: 'TIMESTAMP_MS' } as const

async function rowsOf(connection: DuckDBConnection, statement: string) {
  return toRows(await connection.runAndReadAll(statement))
}
