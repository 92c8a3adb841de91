import { toRow } from '#aws/athena-rows'
import { byAddress } from '#aws/file-condition'
import type { QueryEngine, Row } from '#core/ports'
import { renderSql } from '#core/sql/literal'
import { runOnTrino } from './run-on-trino.ts'

export type TrinoEngine = QueryEngine & {
  /** Runs a statement without parameters, e.g. a CREATE TABLE. */
  run(text: string): Promise<Row[]>
}

/**
 * The QueryEngine port on a Trino server over the files below `lakeLocation`. It sends the text that Athena
 * would get, and reads rows as from Athena.
 */
export function trinoEngine(url: string, schema: string, lakeLocation: string): TrinoEngine {
  async function run(text: string, signal?: AbortSignal): Promise<Row[]> {
    const { columns, rows } = await runOnTrino({ url, schema, text, signal })
    const athenaColumns = columns.map(({ name, type }) => ({ Name: name, Type: type }))
    return rows.map(values => toRow(athenaColumns, values.map(toDatum)))
  }

  return {
    run,
    rows: (query, { signal } = {}) =>
      run(
        renderSql(query, files => byAddress(files, lakeLocation)),
        signal,
      ),
  }
}

function toDatum(value: string | null): { VarCharValue?: string } {
  return value === null ? {} : { VarCharValue: value }
}
