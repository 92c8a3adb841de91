import { setTimeout as sleep } from 'node:timers/promises'

export type TrinoStatement = {
  url: string
  schema: string
  text: string
  signal?: AbortSignal | undefined
}

/** What a statement gave, as Athena writes it: values as text, null for NULL; types by Athena's names. */
export type TrinoResult = {
  columns: { name: string; type: string }[]
  rows: (string | null)[][]
  /** Read from files. */
  bytesScanned: number
}

/** A statement that Trino refuses, or that has failed. */
export class TrinoError extends Error {
  /** Whether the statement is to blame. */
  readonly isUsers: boolean

  constructor(error: NonNullable<Answer['error']>) {
    super(`Trino: ${error.errorName}: ${error.message}`)
    this.isUsers = error.errorType === 'USER_ERROR'
  }
}

/** What Trino's REST API answers to a statement and at each `nextUri`. */
type Answer = {
  nextUri?: string
  columns?: { name: string; type: string }[]
  data?: (string | number | boolean | null)[][]
  error?: { message: string; errorName: string; errorType: string }
  stats?: { physicalInputBytes?: number }
}

/** Runs a statement by Trino's REST API, with the catalog `lake`. When the signal aborts, it is cancelled. */
export async function runOnTrino({ url, schema, text, signal }: TrinoStatement): Promise<TrinoResult> {
  signal?.throwIfAborted()
  const headers = {
    'X-Trino-User': 'check',
    'X-Trino-Catalog': 'lake',
    'X-Trino-Schema': schema,
    'X-Trino-Time-Zone': 'UTC',
  }
  const result: TrinoResult = { columns: [], rows: [], bytesScanned: 0 }
  let answer = await ask(`${url}/v1/statement`, { method: 'POST', headers, body: text })
  for (;;) {
    if (answer.error !== undefined) throw new TrinoError(answer.error)
    if (answer.columns !== undefined) result.columns = answer.columns.map(named)
    for (const values of answer.data ?? []) result.rows.push(values.map(toText))
    result.bytesScanned = answer.stats?.physicalInputBytes ?? result.bytesScanned
    if (answer.nextUri === undefined) return result
    if (signal?.aborted) {
      await fetch(answer.nextUri, { method: 'DELETE', headers })
      throw signal.reason
    }
    answer = await ask(answer.nextUri, { headers })
  }
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
function named({ name, type }: { name: string; type: string }): { name: string; type: string } {
  return { name, type: type.replace(/\(.*$/, '') }
}

function toText(value: string | number | boolean | null): string | null {
  if (value === null) return null
  return Object.is(value, -0) ? '-0' : String(value)
}
