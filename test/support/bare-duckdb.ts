import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Row } from '#core/ports'
import { NOT_MATERIALIZED } from '#core/sql/sql'
import { dialect } from '#duckdb/macros'
import { list } from '#duckdb/tables'
import { toRows } from '#duckdb/values'
import type { Statement } from '#schemas/read-options'

/** One for all statements of a worker, because a new one takes longer than most statements. */
let bareDuckDb: Promise<DuckDBInstance> | undefined

async function openBareDuckDb(): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const setting of dialect) await connection.run(setting)
  connection.closeSync()
  return instance
}

/**
 * Runs a statement of `sql=true` over the folder of a lake, with DuckDB alone: as docs/sql-in-duckdb.md says.
 * Its views are those of a connection of its own.
 */
export async function runInBareDuckDb(lakeDir: string, { text, params, tables }: Statement): Promise<Row[]> {
  bareDuckDb ??= openBareDuckDb()
  const connection = await (await bareDuckDb).connect()
  try {
    for (const [table, patterns] of Object.entries(tables)) {
      const files = list(patterns.map(pattern => join(lakeDir, pattern)))
      await connection.run(
        `CREATE TEMP VIEW ${table} AS SELECT * FROM read_parquet(${files}, union_by_name = true, hive_partitioning = true)`,
      )
    }
    return await runPrepared(connection, text, params)
  } finally {
    connection.closeSync()
  }
}

/**
 * Binds the parameters, as a caller does who has the statement from a response. The service writes them as
 * literals.
 */
async function runPrepared(
  connection: DuckDBConnection,
  text: string,
  params: Statement['params'],
): Promise<Row[]> {
  const statement = await connection.prepare(text.replaceAll(NOT_MATERIALIZED.text, 'NOT MATERIALIZED'))
  params.forEach((param, i) => {
    if (param === null) statement.bindNull(i + 1)
    else if (typeof param === 'string') statement.bindVarchar(i + 1, param)
    else if (typeof param === 'boolean') statement.bindBoolean(i + 1, param)
    else if (Number.isSafeInteger(param)) statement.bindBigInt(i + 1, BigInt(param))
    else statement.bindDouble(i + 1, param)
  })
  return toRows(await statement.runAndReadAll())
}
