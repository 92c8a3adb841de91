import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { classifyEngineFailure } from '#duckdb/fault'
import { dialect } from '#duckdb/macros'
import { listFiles } from '#duckdb/reads/listing'
import { createTables, readFiles, text, useFiles } from '#duckdb/tables'
import { type TableName, tables } from '#schemas/columns'
import { type StatementEngine, StatementError, type StatementResult } from './athena-emulator.ts'

/** Athena's names for DuckDB's types. No statement may return any other type. */
const TYPES: Record<string, string> = {
  BIGINT: 'bigint',
  INTEGER: 'integer',
  DOUBLE: 'double',
  FLOAT: 'float',
  VARCHAR: 'varchar',
  BOOLEAN: 'boolean',
  HUGEINT: 'decimal',
}

/** DuckDB ignores an interrupt before the statement starts, so the interrupt is repeated. */
const INTERRUPT_EVERY_MS = 20

/** The address of the lake in statements. */
export const LAKE_LOCATION = 's3://footfall-lake'

/**
 * Runs Athena's statements in DuckDB, over the files of a lake in a folder. `location` is the lake's address
 * in the statements.
 */
export async function duckdbForAthena(lakeDir: string, location = LAKE_LOCATION): Promise<StatementEngine> {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-athena-'))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  const first = await instance.connect()
  for (const statement of dialect) await first.run(statement)
  const empty = await createTables(first, dir)
  for (const table of Object.keys(tables) as TableName[]) await first.run(addPaths(table, lakeDir, location))
  first.closeSync()

  async function run(sql: string, signal: AbortSignal): Promise<StatementResult> {
    const connection = await instance.connect()
    const interrupter = setInterval(() => signal.aborted && connection.interrupt(), INTERRUPT_EVERY_MS)
    try {
      const bytesScanned = await useLake(connection, sql)
      const result = await connection.runAndReadAll(sql)
      const types = result.columnTypes().map(type => TYPES[String(type)] ?? String(type).toLowerCase())
      return {
        columns: result.columnNames().map((name, i) => ({ name, type: types[i] ?? '' })),
        rows: result.getRows().map(row => row.map(toText)),
        bytesScanned,
      }
    } catch (error) {
      throw classifyEngineFailure(error) === 'statement' ? new StatementError(String(error)) : error
    } finally {
      clearInterval(interrupter)
      connection.closeSync()
    }
  }

  /** Adds all files of the tables that the statement names to the connection. Returns their size in bytes. */
  async function useLake(connection: DuckDBConnection, sql: string): Promise<number> {
    let bytes = 0
    for (const table of Object.keys(tables) as TableName[]) {
      if (!new RegExp(`\\b${table}\\b`).test(sql)) continue
      const files = (await listFiles(lakeDir, table)).map(key => join(lakeDir, key))
      for (const file of files) bytes += (await stat(file)).size
      await connection.run(useFiles(table, [empty[table], ...files]))
    }
    return bytes
  }

  return {
    run,
    async close() {
      instance.closeSync()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Adds the column "$path" to a view. Athena has it in every table. */
function addPaths(table: TableName, lakeDir: string, location: string): string {
  return `CREATE OR REPLACE VIEW ${table} AS
    SELECT *, replace(filename, ${text(lakeDir)}, ${text(location)}) AS "$path" FROM ${readFiles(table)}`
}

function toText(value: DuckDBValue): string | null {
  return value === null ? null : String(value)
}
