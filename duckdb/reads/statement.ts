import type { DuckDBConnection } from '@duckdb/node-api'
import type { Row, SqlQuery } from '#core/ports'
import { type AnswerLimits, createAnswerMeter } from '#core/sql/answer-meter'
import { renderSql } from '#core/sql/literal'
import { NOT_MATERIALIZED } from '#core/sql/sql'
import { readRows } from '#duckdb/values'

/**
 * Runs a statement on a connection, with its values as literals. DuckDB plans a statement with parameters
 * when it is prepared, and again with the values when it runs: 2 to 4 ms more for each statement of a report.
 */
export async function runStatement(
  connection: DuckDBConnection,
  query: SqlQuery,
  answerLimits: AnswerLimits,
): Promise<Row[]> {
  // Before the values are in the text: one of them may be the same comment.
  const text = query.text.replaceAll(NOT_MATERIALIZED.text, 'NOT MATERIALIZED')
  // The connection reads only the files of the statement's scans.
  const rendered = renderSql({ text, params: query.params }, () => 'true')
  return readRows(await connection.runAndRead(rendered), createAnswerMeter(answerLimits))
}
