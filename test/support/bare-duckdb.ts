import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Row } from '#core/ports'
import { dialect } from '#duckdb/macros'
import { list } from '#duckdb/tables'
import { runStatement } from '#local/lake/statement'
import type { Statement } from '#schemas/read-options'

/** Runs a statement of `sql=true` over the folder of a lake, with DuckDB alone: as docs/sql-in-duckdb.md says. */
export async function runInBareDuckDb(lakeDir: string, { text, params, tables }: Statement): Promise<Row[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    for (const setting of dialect) await connection.run(setting)
    for (const [table, patterns] of Object.entries(tables)) {
      const files = list(patterns.map(pattern => join(lakeDir, pattern)))
      await connection.run(
        `CREATE VIEW ${table} AS SELECT * FROM read_parquet(${files}, union_by_name = true, hive_partitioning = true)`,
      )
    }
    return await runStatement(connection, { text, params })
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
