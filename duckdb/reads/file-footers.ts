import type { DuckDBConnection } from '@duckdb/node-api'
import QuickLRU from 'quick-lru'
import { list } from '#duckdb/tables'

/** What the footer of a file says. */
export type FileFooter = {
  rows: number
  /** Compressed bytes of all columns, and of each. */
  bytes: number
  columns: ReadonlyMap<string, number>
  /** The lowest and the highest bucket of its rows; null if the footer does not say. */
  buckets: readonly [number, number] | null
}

/**
 * Files whose footers are remembered. Files do not change, except that a repair replaces one by its equal.
 */
const MAX_FILES = 10_000

/** The footers of the files that statements have read. Each is read once. */
export function createFileFooters() {
  const footers = new QuickLRU<string, FileFooter>({ maxSize: MAX_FILES })
  /** Equal texts share one object, because thousands of files have the same columns. */
  const names = new Map<string, string>()

  async function readFooters(connection: DuckDBConnection, files: readonly string[]): Promise<void> {
    if (files.length === 0) return
    const found = new Map<string, FileFooter & { columns: Map<string, number> }>()
    const reader = await connection.runAndReadAll(`SELECT file_name, path_in_schema,
        CAST(sum(num_values) AS double), CAST(sum(total_compressed_size) AS double),
        CAST(min(TRY_CAST(stats_min_value AS bigint)) AS double), CAST(max(TRY_CAST(stats_max_value AS bigint)) AS double),
        count(*) = count(stats_min_value)
      FROM parquet_metadata(${list(files)}) GROUP BY file_name, path_in_schema`)
    for (const [file, column, rows, bytes, low, high, isBounded] of reader.getRows() as FooterRow[]) {
      const footer = found.get(file) ?? {
        rows: 0,
        bytes: 0,
        columns: new Map<string, number>(),
        buckets: null,
      }
      found.set(file, footer)
      footer.rows = Math.max(footer.rows, rows)
      footer.bytes += bytes
      const name = names.get(column) ?? column
      names.set(name, name)
      footer.columns.set(name, bytes)
      if (column === 'bucket' && isBounded && low !== null && high !== null) footer.buckets = [low, high]
    }
    for (const [file, footer] of found) footers.set(file, footer)
  }

  return {
    /**
     * Measures what a statement reads. The numbers are upper bounds: DuckDB skips row groups that cannot hold
     * a row of the project.
     */
    async measure(
      connection: DuckDBConnection,
      files: readonly string[],
      text: string,
    ): Promise<{ rowsScanned: number; bytesScanned: number }> {
      await readFooters(
        connection,
        files.filter(file => !footers.has(file)),
      )
      const words = new Set(text.match(/\w+/g))
      const total = { rowsScanned: 0, bytesScanned: 0 }
      for (const file of files) {
        const footer = footers.get(file)
        if (footer === undefined) continue
        total.rowsScanned += footer.rows
        for (const [column, bytes] of footer.columns) if (words.has(column)) total.bytesScanned += bytes
      }
      return total
    },
    /** The footer of a file; undefined if no statement has read the file yet. */
    of: (file: string): FileFooter | undefined => footers.get(file),
  }
}

type FooterRow = [string, string, number, number, number | null, number | null, boolean]
