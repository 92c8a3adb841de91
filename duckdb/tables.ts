import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Column, type Partition, type TableName, tables } from '#schemas/columns'

/**
 * The lake's tables as DuckDB views and macros over exact lists of files. A list is a variable of the
 * connection, which DuckDB reads when it binds a statement. The columns `epoch` and `bucket` come from the
 * paths of the files.
 */

const columnTypes = { string: 'VARCHAR', int64: 'BIGINT', timestamp: 'TIMESTAMP', date: 'DATE' } as const
/** What COPY writes as the types of schemas/columns.ts. */
export const storedTypes = { ...columnTypes, timestamp: 'TIMESTAMP_MS' } as const
const partitionTypes = { int64: 'BIGINT' } as const

/**
 * Creates the views, and below `dir` an empty file for each table. Put this file first in every list of
 * files.
 * @returns the empty file of each table
 */
export async function createTables(
  connection: DuckDBConnection,
  dir: string,
): Promise<Record<TableName, string>> {
  const emptyFiles: Partial<Record<TableName, string>> = {}
  for (const table of Object.keys(tables) as TableName[]) {
    const file = await writeEmptyFile(connection, dir, table)
    emptyFiles[table] = file
    await connection.run(useFiles(table, [file]))
    await connection.run(`CREATE OR REPLACE VIEW ${table} AS SELECT * FROM ${readFiles(table)}`)
    await connection.run(
      `CREATE OR REPLACE MACRO ${scanMacro(table)}(list) AS TABLE SELECT * FROM ${readFiles(table, 'list')}`,
    )
  }
  return emptyFiles as Record<TableName, string>
}

/**
 * Writes a file without rows that has all columns of the table, and returns its path below `dir`. With this
 * file first in a list, an empty lake can be read too, and files that were written before a column was added
 * have null in it.
 */
export async function writeEmptyFile(
  connection: DuckDBConnection,
  dir: string,
  table: TableName,
): Promise<string> {
  const { prefix, partitions, columns } = tables[table]
  const folder = join(dir, prefix, ...partitions.map(({ name }) => `${name}=${UNUSED_PARTITION}`))
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'empty.parquet')
  await connection.run(
    `COPY (SELECT ${columns.map(nullColumn).join(', ')} WHERE false) TO ${text(file)} (FORMAT parquet)`,
  )
  return file
}

/** No snapshot selects this partition. */
const UNUSED_PARTITION = -1

/**
 * The macro that reads the rows of a table from another list than its view does:
 * `scan_events_hot('events_hot_1')`.
 */
export function scanMacro(table: TableName): string {
  return `scan_${table}`
}

/**
 * The statement that sets a list of files. The view of a table reads the list of the same name, its macro the
 * list that the caller names.
 */
export function useFiles(name: string, files: readonly string[]): string {
  return `SET VARIABLE ${name} = ${list(files)}`
}

/** The files of a list as rows of `table`. `name`: an expression for the name of the list. */
export function readFiles(table: TableName, name: string = text(table)): string {
  const types = tables[table].partitions.map(
    ({ name, type }: Partition) => `${name}: ${partitionTypes[type]}`,
  )
  return `read_parquet(getvariable(${name}), union_by_name = true, hive_partitioning = true,
    hive_types = {${types.join(', ')}})`
}

function nullColumn({ name, type }: Column): string {
  return `CAST(NULL AS ${columnTypes[type]}) AS ${name}`
}

/**
 * `SELECT` with all columns of a table, in the order and the types of its files, and then the columns of a
 * newer version.
 */
export function selectColumns(table: TableName, newer: readonly string[] = []): string {
  const columns: readonly Column[] = tables[table].columns
  const known = columns.map(({ name, type }) => `CAST(${name} AS ${storedTypes[type]}) AS ${name}`)
  return `SELECT ${[...known, ...newer].join(', ')}`
}

const knownColumns: ReadonlySet<string> = new Set([
  ...[tables.events_hot, tables.segment_events].flatMap(({ columns }) => columns.map(({ name }) => name)),
  ...['bucket', 'date'],
])

/**
 * The columns of rows of events that this version does not know, as names in quotes: a newer version has
 * written the files. Whoever writes the rows again must keep them. Otherwise a rollback would lose their
 * values.
 */
export async function newerColumns(connection: DuckDBConnection, rows: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(`SELECT column_name FROM (DESCRIBE SELECT * FROM ${rows})`)
  const names = reader.getRows().map(([column]) => String(column))
  return names.filter(column => !knownColumns.has(column)).map(column => `"${column.replaceAll('"', '""')}"`)
}

/** A list literal of texts. */
export function list(values: readonly string[]): string {
  return `[${values.map(text).join(', ')}]`
}

/** A text literal, for statements that cannot have parameters. */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
