import { setTimeout as sleep } from 'node:timers/promises'
import { toRow } from '#aws/athena-rows'
import { renderSql } from '#aws/literal'
import type { QueryEngine, Row } from '#core/ports'

/** What Trino's REST API answers to a statement and at each `nextUri`. */
type Answer = {
  nextUri?: string
  columns?: { name: string; type: string }[]
  data?: (string | number | boolean | null)[][]
  error?: { message: string; errorName: string }
}

export type TrinoEngine = QueryEngine & {
  /** Runs a statement that is given as it is, e.g. a CREATE TABLE. */
  run(text: string): Promise<Row[]>
}

/** The QueryEngine port on a Trino server: text as Athena is sent it, rows as they are read from Athena. */
export function trinoEngine(url: string, schema: string): TrinoEngine {
  const headers = {
    'X-Trino-User': 'check',
    'X-Trino-Catalog': 'lake',
    'X-Trino-Schema': schema,
    'X-Trino-Time-Zone': 'UTC',
  }

  async function run(text: string, signal?: AbortSignal): Promise<Row[]> {
    signal?.throwIfAborted()
    const rows: Row[] = []
    let columns: { Name: string; Type: string }[] = []
    let answer = await ask(`${url}/v1/statement`, { method: 'POST', headers, body: text })
    for (;;) {
      if (answer.error !== undefined) {
        throw new Error(`Trino: ${answer.error.errorName}: ${answer.error.message}`)
      }
      columns = answer.columns?.map(({ name, type }) => ({ Name: name, Type: athenaType(type) })) ?? columns
      for (const values of answer.data ?? []) rows.push(toRow(columns, values.map(toDatum)))
      if (answer.nextUri === undefined) return rows
      if (signal?.aborted) {
        await fetch(answer.nextUri, { method: 'DELETE', headers })
        throw signal.reason
      }
      answer = await ask(answer.nextUri, { headers })
    }
  }

  return { run, rows: (query, { signal } = {}) => run(renderSql(query), signal) }
}

async function ask(url: string, request: RequestInit): Promise<Answer> {
  for (;;) {
    const response = await fetch(url, request)
    // It asks to be called again: it has too much to do.
    if (response.status === 502 || response.status === 503 || response.status === 504) {
      await response.body?.cancel()
      await sleep(100)
      continue
    }
    if (!response.ok) throw new Error(`Trino answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Answer
  }
}

/** Athena names types without their parameters: varchar(20) is varchar there, decimal(38,0) is decimal. */
function athenaType(type: string): string {
  return type.replace(/\(.*$/, '')
}

function toDatum(value: string | number | boolean | null): { VarCharValue?: string } {
  if (value === null) return {}
  return { VarCharValue: Object.is(value, -0) ? '-0' : String(value) }
}
