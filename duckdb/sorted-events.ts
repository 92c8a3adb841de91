import { rm } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Column, eventColumns } from '#schemas/columns'
import { classifyEngineFailure } from './fault.ts'
import { list, text } from './tables.ts'

export type SortedEvents = {
  /** `SELECT …` of columns of the table event_rows. */
  select: string
  /** Which rows of event_rows. */
  where: string
  /** The file to write. Temporary files are written beside it. */
  path: string
  /** Options of COPY, except the rows of a row group. */
  options: string
  rowGroupRows: number
}

/**
 * The rows of a session lie together, which makes files 40 % smaller than order by time, and row groups
 * narrow in time.
 */
const EVENT_ORDER = 'project_id, coalesce(first_at, timestamp), session_id NULLS LAST, timestamp, lag_s, seq'
const SORTABLE_ROWS = 'event_rows LEFT JOIN session_starts USING (project_id, session_id)'
/** Estimated bytes of a row without its texts. */
const ROW_BYTES = 512
/** Sorting and encoding hold a slice several times, so a slice has this fraction of the memory. */
const MEMORY_SLICES = 16

/**
 * Writes rows of event_rows to one Parquet file, in the order of the lake. DuckDB sorts whole rows, and wide
 * rows need more memory than there is: 250,000 events with 3 kB of properties each need more than 512 MB. In
 * that case only the keys are sorted, the rows are fetched in that order slice by slice, and the slices are
 * concatenated.
 */
export async function writeSortedEvents(
  connection: DuckDBConnection,
  output: SortedEvents,
  memoryMb: number,
): Promise<void> {
  const { select, where, path, options, rowGroupRows } = output
  try {
    await connection.run(`COPY (${select} FROM ${SORTABLE_ROWS} WHERE ${where} ORDER BY ${EVENT_ORDER})
      TO ${text(path)} (${options}, ROW_GROUP_SIZE ${rowGroupRows})`)
  } catch (error) {
    if (classifyEngineFailure(error) !== 'memory') throw error
    await writeInSlices(connection, output, (memoryMb * 1_000_000) / MEMORY_SLICES)
  }
}

async function writeInSlices(
  connection: DuckDBConnection,
  { select, where, path, options, rowGroupRows }: SortedEvents,
  sliceBytes: number,
): Promise<void> {
  await connection.run(`
    CREATE OR REPLACE TABLE sorted_keys AS
    SELECT row_id, row_number() OVER by_order AS row_position,
      CAST(sum(bytes) OVER by_order AS bigint) // ${Math.floor(sliceBytes)} AS slice
    FROM (SELECT event_rows.rowid AS row_id, ${estimatedBytes} AS bytes, project_id, first_at, timestamp, session_id,
        lag_s, seq
      FROM ${SORTABLE_ROWS} WHERE ${where})
    WINDOW by_order AS (ORDER BY ${EVENT_ORDER} ROWS UNBOUNDED PRECEDING)`)
  const result = await connection.runAndReadAll(
    'SELECT CAST(slice AS integer), CAST(count(*) AS integer) FROM sorted_keys GROUP BY slice ORDER BY slice',
  )
  const slices = result.getRows().map(([slice, rows]) => ({
    file: `${path}-${slice}`,
    slice: Number(slice),
    rows: Number(rows),
  }))
  for (const { slice, file } of slices) {
    await connection.run(`COPY (${select} FROM event_rows JOIN sorted_keys ON event_rows.rowid = row_id
        WHERE slice = ${slice} ORDER BY row_position)
      TO ${text(file)} (FORMAT parquet)`)
  }
  // The slice with the widest rows has the fewest rows, and shows how many rows fit into memory. The last
  // slice does not count, because it is a remainder.
  const fittingRows = Math.min(rowGroupRows, ...slices.slice(0, -1).map(({ rows }) => rows))
  await connection.run(`COPY (SELECT * FROM read_parquet(${list(slices.map(({ file }) => file))}))
    TO ${text(path)} (${options}, ROW_GROUP_SIZE ${fittingRows})`)
  await connection.run('DROP TABLE sorted_keys')
  await Promise.all(slices.map(({ file }) => rm(file)))
}

const textColumns: readonly Column[] = eventColumns.filter(({ type }) => type === 'string')
const estimatedBytes = [ROW_BYTES, ...textColumns.map(({ name }) => `coalesce(strlen(${name}), 0)`)].join(
  ' + ',
)
