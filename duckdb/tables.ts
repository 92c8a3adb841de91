import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Column, type Partition, type TableName, tables } from '#schemas/columns'

/**
 * The lake's tables as DuckDB views over lists of files. The list of each table is a variable of the connection, read
 * when a statement is bound: DuckDB 1.5 lists a whole glob before it looks at partitions (6,144 files: 90 ms; the 96
 * that are needed as a list: 3 ms), so the caller gives it only the files that the statement needs.
 */

const parquetTypes = { string: 'VARCHAR', int64: 'BIGINT', timestamp: 'TIMESTAMP' } as const
const partitionTypes = { int64: 'BIGINT', date: 'DATE' } as const

/**
 * Makes the views, and in `dir` one empty file a table with all its columns: it heads every list, so that an empty
 * lake is read too, and a file from before a column was added reads null in it.
 * @returns the empty file of each table
 */
export async function createTables(
  connection: DuckDBConnection,
  dir: string,
): Promise<Record<TableName, string>> {
  const empty: Partial<Record<TableName, string>> = {}
  for (const table of Object.keys(tables) as TableName[]) {
    const { prefix, partitions, columns } = tables[table]
    const folder = join(dir, prefix, ...partitions.map(({ name, type }) => `${name}=${NOWHERE[type]}`))
    await mkdir(folder, { recursive: true })
    const file = join(folder, 'empty.parquet')
    empty[table] = file
    await connection.run(
      `COPY (SELECT ${columns.map(nullColumn).join(', ')} WHERE false) TO ${text(file)} (FORMAT parquet)`,
    )
    await connection.run(useFiles(table, [file]))
    await connection.run(`CREATE OR REPLACE VIEW ${table} AS SELECT * FROM ${readFiles(table)}`)
  }
  return empty as Record<TableName, string>
}

/** No snapshot and no range selects these partitions. */
const NOWHERE = { int64: '-1', date: '0001-01-01' } as const

/** The statement that gives the connection the files which `table` is to be read from. */
export function useFiles(table: TableName, files: readonly string[]): string {
  return `SET VARIABLE ${table} = ${list(files)}`
}

function readFiles(table: TableName): string {
  const types = tables[table].partitions.map(
    ({ name, type }: Partition) => `${name}: ${partitionTypes[type]}`,
  )
  return `read_parquet(getvariable('${table}'), union_by_name = true, hive_partitioning = true,
    hive_types = {${types.join(', ')}})`
}

function nullColumn({ name, type }: Column): string {
  return `CAST(NULL AS ${parquetTypes[type]}) AS ${name}`
}

/** A list literal of texts. */
export function list(values: readonly string[]): string {
  return `[${values.map(text).join(', ')}]`
}

/** A text literal, for statements that take no parameters. */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
