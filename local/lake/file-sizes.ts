import type { DuckDBConnection } from '@duckdb/node-api'
import QuickLRU from 'quick-lru'
import { list } from '#duckdb/tables'

/** Rows of a file, and the compressed bytes of each column. */
type FileSize = { rows: number; columns: ReadonlyMap<string, number> }

/** Files whose sizes are remembered. Files do not change, except that a repair replaces one by its equal. */
const MAX_FILES = 10_000

/**
 * Measures what a statement reads, by the footers of its files. Each footer is read once. The numbers are
 * upper bounds: DuckDB skips row groups that cannot hold a row of the project.
 */
export function createFileSizes() {
  const sizes = new QuickLRU<string, FileSize>({ maxSize: MAX_FILES })
  /** Equal texts share one object, because thousands of files have the same columns. */
  const names = new Map<string, string>()

  return async function measure(
    connection: DuckDBConnection,
    files: readonly string[],
    text: string,
  ): Promise<{ rowsScanned: number; bytesScanned: number }> {
    const unknown = files.filter(file => !sizes.has(file))
    for (const [file, size] of await readFooters(connection, unknown)) sizes.set(file, size)
    const words = new Set(text.match(/\w+/g))
    const total = { rowsScanned: 0, bytesScanned: 0 }
    for (const file of files) {
      const size = sizes.get(file)
      if (size === undefined) continue
      total.rowsScanned += size.rows
      for (const [column, bytes] of size.columns) if (words.has(column)) total.bytesScanned += bytes
    }
    return total
  }

  async function readFooters(
    connection: DuckDBConnection,
    files: readonly string[],
  ): Promise<Map<string, FileSize>> {
    const found = new Map<string, { rows: number; columns: Map<string, number> }>()
    if (files.length === 0) return found
    const reader = await connection.runAndReadAll(`SELECT file_name, path_in_schema,
        CAST(sum(num_values) AS double), CAST(sum(total_compressed_size) AS double)
      FROM parquet_metadata(${list(files)}) GROUP BY file_name, path_in_schema`)
    for (const [file, column, rows, bytes] of reader.getRows() as [string, string, number, number][]) {
      const size = found.get(file) ?? { rows: 0, columns: new Map<string, number>() }
      found.set(file, size)
      size.rows = Math.max(size.rows, rows)
      const name = names.get(column) ?? column
      names.set(name, name)
      size.columns.set(name, bytes)
    }
    return found
  }
}
