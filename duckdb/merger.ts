import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { eachOf } from '#core/each-of'
import { coldKey, partitionOf, warmKey } from '#core/lake/keys'
import type { CompactJob, Dropped, Merger, RollJob } from '#core/lake/merger'
import type { Lake, Log } from '#core/ports'
import { type Column, type TableName, tables } from '#schemas/columns'
import { DamagedObject, findDamaged } from './damaged.ts'
import { readFault } from './fault.ts'
import {
  activityRows,
  bucketsWithEventIds,
  copiesTable,
  keptTable,
  rolledTable,
  sessionStarts,
  visitRows,
} from './merging.ts'
import { text } from './tables.ts'
import { toRows } from './values.ts'

export type MergerSettings = {
  lake: Lake
  /** Where the files of a job are copied to while it runs. */
  tempDir: string
  log: Log
  memoryMb?: number
  threads?: number
}

/**
 * In cold a quarter as many cost 1 byte an event more, for dictionaries (docs/decisions/2026-11-21-lake-layout.md). In
 * warm, which is rewritten within days, few rows at once keep a large epoch within the memory: a third of the time.
 */
const ROW_GROUP_ROWS = { warm: 61_440, cold: 245_760 } as const
/**
 * No Bloom filters: they cost 0.6 bytes an event, more than all else that a small file holds beside its rows, and
 * only reads of one user or session could skip by them.
 * Warm is rewritten within days; cold is written once and stays for a year, so another half byte an event is worth the time.
 */
const ZSTD_LEVEL = { warm: 3, cold: 19 } as const

/** A bucket answers each fetch after tens of ms; a file is in memory as long as it takes to write it. */
const FETCHED_AT_ONCE = 16

/** Sessions lie together (40 % smaller than by time), and row groups stay narrow in time. */
const EVENT_ORDER = 'project_id, coalesce(first_at, timestamp), session_key NULLS LAST, timestamp, lag_s, seq'

/**
 * Compaction on DuckDB. Objects come and go through the Lake port, so that it runs beside a folder and beside a
 * bucket. Throws DamagedObject when an object of the job cannot be read: nothing is left out silently.
 */
export function createMerger(settings: MergerSettings): Merger {
  const { lake, tempDir, log, memoryMb = 512, threads = 2 } = settings

  async function compact(job: CompactJob): Promise<Dropped[]> {
    return inWorkshop(async ({ connection, fetch, write }) => {
      if (job.hot.length === 0) return []
      const hot = await fetch(job.hot)
      const ofSenders = await rowsOf(connection, bucketsWithEventIds(hot, job))
      const buckets = new Set(ofSenders.map(({ bucket }) => bucket))
      const recent = await fetch(job.recent.filter(key => buckets.has(Number(partitionOf(key, 'bucket')))))
      await connection.run(copiesTable(hot, recent, job))
      await connection.run(keptTable(hot, job))
      await connection.run(sessionStarts)
      for (const { bucket } of await rowsOf(connection, 'SELECT DISTINCT bucket FROM kept ORDER BY bucket')) {
        const rows = `${selectFor('events_warm')} FROM kept LEFT JOIN session_start USING (project_id, session_key)
          WHERE bucket = ${bucket} ORDER BY ${EVENT_ORDER}`
        await write(warmKey(job.epoch, Number(bucket)), rows, 'warm')
      }
      const dropped = await rowsOf(
        connection,
        `SELECT project_id, strftime(epoch_ms(arrived_at * 1000), '%Y-%m-%d') AS day, count(*) AS events
         FROM copies GROUP BY ALL ORDER BY ALL`,
      )
      return dropped as Dropped[]
    })
  }

  async function roll(job: RollJob): Promise<void> {
    await inWorkshop(async ({ connection, fetch, write }) => {
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
        await write(
          key('events_cold'),
          `${selectFor('events_cold')} FROM kept LEFT JOIN session_start USING (project_id, session_key)
           WHERE ${ofDate} ORDER BY ${EVENT_ORDER}`,
          'cold',
        )
        await write(
          key('visits_cold'),
          `${selectFor('visits_cold')} FROM (${visitRows(ofDate, job.from)}) AS visit
           ORDER BY project_id, user_key NULLS LAST, start_at, session_key`,
          'cold',
        )
        await write(
          key('activity_cold'),
          `${selectFor('activity_cold')} FROM (${activityRows(ofDate, job.from)}) AS activity
           ORDER BY project_id, user_key NULLS LAST, event, country NULLS LAST`,
          'cold',
        )
      }
    })
  }

  type Workshop = {
    connection: DuckDBConnection
    /** Copies the objects here; the paths end with the keys, so that their partitions are read too. */
    fetch(keys: readonly string[]): Promise<string[]>
    /** Writes the rows of a SELECT as the object of a key; none when there are no rows. */
    write(key: string, rows: string, stage: 'warm' | 'cold'): Promise<void>
  }

  /** A folder and a database of its own for one job, taken down after it. */
  async function inWorkshop<T>(work: (workshop: Workshop) => Promise<T>): Promise<T> {
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
      await eachOf(keys, FETCHED_AT_ONCE, async key => {
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

    async function write(key: string, rows: string, stage: 'warm' | 'cold'): Promise<void> {
      const path = join(folder, 'made.parquet')
      await connection.run(
        `COPY (${rows}) TO ${text(path)}
         (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL ${ZSTD_LEVEL[stage]}, PARQUET_VERSION V2,
          ROW_GROUP_SIZE ${ROW_GROUP_ROWS[stage]}, WRITE_BLOOM_FILTER false)`,
      )
      await lake.put(key, await readFile(path))
    }

    try {
      return await work({ connection, fetch, write })
    } catch (error) {
      const fault = readFault(error)
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

  return { compact, roll }
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
