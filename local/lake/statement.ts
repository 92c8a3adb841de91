import type { DuckDBConnection } from '@duckdb/node-api'
import type { Row, SqlParam, SqlQuery } from '#core/ports'
import { isFileCondition, NOT_MATERIALIZED } from '#core/sql'
import { toRows } from '#duckdb/values'

/** Runs a statement with its parameters on a connection. */
export async function runStatement(connection: DuckDBConnection, query: SqlQuery): Promise<Row[]> {
  const text = query.text.replaceAll(NOT_MATERIALIZED.text, 'NOT MATERIALIZED')
  const statement = await connection.prepare(text)
  try {
    query.params.forEach((param, i) => {
      bind(statement, i + 1, param)
    })
    return toRows(await statement.runAndReadAll())
  } finally {
    statement.destroySync()
  }
}

function bind(
  statement: Awaited<ReturnType<DuckDBConnection['prepare']>>,
  index: number,
  param: SqlParam,
): void {
  if (param === null) statement.bindNull(index)
  // The connection reads only the files of the statement's scans.
  else if (isFileCondition(param)) statement.bindBoolean(index, true)
  else if (typeof param === 'string') statement.bindVarchar(index, param)
  else if (typeof param === 'boolean') statement.bindBoolean(index, param)
  else if (Number.isSafeInteger(param) && !Object.is(param, -0)) statement.bindBigInt(index, BigInt(param))
  else statement.bindDouble(index, param)
}
