import type { DuckDBConnection } from '@duckdb/node-api'
import { type Column, eventColumns } from '#schemas/columns'
import { classifyEngineFailure } from './fault.ts'
import { list, text } from './tables.ts'

export type SortedEvents = {
  /** `SELECT …`, of columns of kept only. */
  select: string
  /** Which rows of kept. */
  where: string
  /** Where the file goes; what is needed meanwhile is beside it. */
  path: string
  /** Options of COPY but the rows of a row group. */
  options: string
  rowGroupRows: number
}

/** Sessions lie together (40 % smaller than by time), and row groups stay narrow in time. */
const EVENT_ORDER = 'project_id, coalesce(first_at, timestamp), session_key NULLS LAST, timestamp, lag_s, seq'
const KEPT = 'kept LEFT JOIN session_start USING (project_id, session_key)'
/** What a row takes beside its texts, roughly, bytes. */
const ROW_BYTES = 512
/** A slice may have this part of the memory: sorting and packing hold it several times. */
const MEMORY_SLICES = 16

/**
 * Writes events of the table kept in the lake's order to one Parquet file. DuckDB sorts with whole rows in its hands,
 * and runs out of memory where those are wide (250,000 events with 3 kB of properties in 256 MB or in 512). Then they
 * are sorted by their keys alone, fetched in that order slice by slice, and the slices put together.
 */
export async function writeSortedEvents(
  connection: DuckDBConnection,
  wanted: SortedEvents,
  memoryMb: number,
): Promise<void> {
  const { select, where, path, options, rowGroupRows } = wanted
  try {
    await connection.run(`COPY (${select} FROM ${KEPT} WHERE ${where} ORDER BY ${EVENT_ORDER})
      TO ${text(path)} (${options}, ROW_GROUP_SIZE ${rowGroupRows})`)
  } catch (error) {
    if (classifyEngineFailure(error) !== 'memory') throw error
    await writeInSlices(connection, wanted, (memoryMb * 1_000_000) / MEMORY_SLICES)
  }
}

async function writeInSlices(
  connection: DuckDBConnection,
  { select, where, path, options, rowGroupRows }: SortedEvents,
  sliceBytes: number,
): Promise<void> {
  await connection.run(`
    CREATE OR REPLACE TABLE placed AS
    SELECT row_id, row_number() OVER by_order AS place,
      CAST(sum(bytes) OVER by_order AS bigint) // ${Math.floor(sliceBytes)} AS slice
    FROM (SELECT kept.rowid AS row_id, ${bytesOfRow} AS bytes, project_id, first_at, timestamp, session_key, lag_s, seq
      FROM ${KEPT} WHERE ${where})
    WINDOW by_order AS (ORDER BY ${EVENT_ORDER} ROWS UNBOUNDED PRECEDING)`)
  const found = await connection.runAndReadAll(
    'SELECT CAST(slice AS integer), CAST(count(*) AS integer) FROM placed GROUP BY slice ORDER BY slice',
  )
  const slices = found.getRows().map(([slice, rows]) => ({
    file: `${path}-${slice}`,
    slice: Number(slice),
    rows: Number(rows),
  }))
  for (const { slice, file } of slices) {
    await connection.run(`COPY (${select} FROM kept JOIN placed ON kept.rowid = row_id WHERE slice = ${slice} ORDER BY place)
      TO ${text(file)} (FORMAT parquet)`)
  }
  // The widest rows of all say how many are held at once; the last slice is only what was left.
  const fewest = Math.min(rowGroupRows, ...slices.slice(0, -1).map(({ rows }) => rows))
  await connection.run(`COPY (SELECT * FROM read_parquet(${list(slices.map(({ file }) => file))}))
    TO ${text(path)} (${options}, ROW_GROUP_SIZE ${fewest})`)
}

const texts: readonly Column[] = eventColumns.filter(({ type }) => type === 'string')
const bytesOfRow = [ROW_BYTES, ...texts.map(({ name }) => `coalesce(strlen(${name}), 0)`)].join(' + ')
