import { toRow } from '#aws/athena-rows'
import { renderSql } from '#aws/literal'
import type { QueryEngine, Row } from '#core/ports'
import { runOnTrino } from './run-on-trino.ts'

export type TrinoEngine = QueryEngine & {
  /** Runs a statement that is given as it is, e.g. a CREATE TABLE. */
  run(text: string): Promise<Row[]>
}

/** The QueryEngine port on a Trino server: text as Athena is sent it, rows as they are read from Athena. */
export function trinoEngine(url: string, schema: string): TrinoEngine {
  async function run(text: string, signal?: AbortSignal): Promise<Row[]> {
    const { columns, rows } = await runOnTrino({ url, schema, text, signal })
    const named = columns.map(({ name, type }) => ({ Name: name, Type: type }))
    return rows.map(values => toRow(named, values.map(toDatum)))
  }

  return { run, rows: (query, { signal } = {}) => run(renderSql(query), signal) }
}

function toDatum(value: string | null): { VarCharValue?: string } {
  return value === null ? {} : { VarCharValue: value }
}
