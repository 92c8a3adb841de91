import { setTimeout as sleep } from 'node:timers/promises'

export type TrinoStatement = {
  url: string
  schema: string
  text: string
  signal?: AbortSignal | undefined
}

/**
 * The result of a statement in the form of Athena: values as text, null for NULL, and Athena's names of
 * types.
 */
export type TrinoResult = {
  columns: { name: string; type: string }[]
  rows: (string | null)[][]
  /** Bytes read from files. */
  bytesScanned: number
}

/** Trino refused a statement, or the statement failed. */
export class TrinoError extends Error {
  /** Whether the statement itself is wrong. */
  readonly isUsers: boolean

  constructor(error: NonNullable<TrinoResponse['error']>) {
    super(`Trino: ${error.errorName}: ${error.message}`)
    this.isUsers = error.errorType === 'USER_ERROR'
  }
}

/** The response of Trino's REST API to a statement, and to each `nextUri`. */
type TrinoResponse = {
  nextUri?: string
  columns?: { name: string; type: string }[]
  data?: (string | number | boolean | null)[][]
  error?: { message: string; errorName: string; errorType: string }
  stats?: { physicalInputBytes?: number }
}

/** Runs a statement on the catalog `lake` by Trino's REST API. Cancels it when the signal aborts. */
export async function runOnTrino({ url, schema, text, signal }: TrinoStatement): Promise<TrinoResult> {
  signal?.throwIfAborted()
  const headers = {
    'X-Trino-User': 'check',
    'X-Trino-Catalog': 'lake',
    'X-Trino-Schema': schema,
    'X-Trino-Time-Zone': 'UTC',
  }
  const result: TrinoResult = { columns: [], rows: [], bytesScanned: 0 }
  let response = await send(`${url}/v1/statement`, { method: 'POST', headers, body: text })
  for (;;) {
    if (response.error !== undefined) throw new TrinoError(response.error)
    if (response.columns !== undefined) result.columns = response.columns.map(toAthenaColumn)
    for (const values of response.data ?? []) result.rows.push(values.map(toText))
    result.bytesScanned = response.stats?.physicalInputBytes ?? result.bytesScanned
    if (response.nextUri === undefined) return result
    if (signal?.aborted) {
      await fetch(response.nextUri, { method: 'DELETE', headers })
      throw signal.reason
    }
    response = await send(response.nextUri, { headers })
  }
}

async function send(url: string, request: RequestInit): Promise<TrinoResponse> {
  for (;;) {
    const response = await fetch(url, request)
    // Trino is overloaded and expects the same request again.
    if (response.status === 502 || response.status === 503 || response.status === 504) {
      await response.body?.cancel()
      await sleep(100)
      continue
    }
    if (!response.ok) throw new Error(`Trino responded with ${response.status}: ${await response.text()}`)
    return (await response.json()) as TrinoResponse
  }
}

/** Athena's names of types have no parameters: varchar for varchar(20), decimal for decimal(38,0). */
function toAthenaColumn({ name, type }: { name: string; type: string }): { name: string; type: string } {
  return { name, type: type.replace(/\(.*$/, '') }
}

function toText(value: string | number | boolean | null): string | null {
  if (value === null) return null
  return Object.is(value, -0) ? '-0' : String(value)
}
