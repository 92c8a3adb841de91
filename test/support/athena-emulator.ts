import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What a statement gave: values as Athena writes them, null for NULL; types by Athena's names. */
export type StatementResult = {
  columns: { name: string; type: string }[]
  rows: (string | null)[][]
  bytesScanned: number
}

/** The engine behind the front. Rejects with a WrongStatement where the statement is to blame. */
export type StatementEngine = {
  run(sql: string, signal: AbortSignal, database: string): Promise<StatementResult>
  close(): Promise<void>
}

/** A statement that the engine refuses, with its reason. */
export class StatementError extends Error {}

type Statement = {
  state: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'
  sql: string
  database: string
  abort: AbortController
  result?: StatementResult
  reason?: string
  wrong?: boolean
}

type Input = {
  QueryString?: string
  QueryExecutionContext?: { Database?: string }
  ClientRequestToken?: string
  QueryExecutionId?: string
  NextToken?: string
  MaxResults?: number
}

class Refused extends Error {}

/**
 * A server that speaks as much of Athena's protocol (JSON 1.1 over HTTP/1.1) as its SDK client needs to run a statement:
 * start, look, stop, results by pages with the names in the first row. It has no queue, no limits and no result reuse.
 */
export async function startAthenaEmulator(
  engine: StatementEngine,
): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const statements = new Map<string, Statement>()
  const tokens = new Map<string, string>()

  const operations: Record<string, (input: Input) => unknown> = {
    StartQueryExecution({ QueryString = '', QueryExecutionContext, ClientRequestToken = randomUUID() }) {
      const known = tokens.get(ClientRequestToken)
      if (known !== undefined) return { QueryExecutionId: known }
      const id = randomUUID()
      const statement: Statement = {
        state: 'RUNNING',
        sql: QueryString,
        database: QueryExecutionContext?.Database ?? '',
        abort: new AbortController(),
      }
      tokens.set(ClientRequestToken, id)
      statements.set(id, statement)
      void settle(statement)
      return { QueryExecutionId: id }
    },
    GetQueryExecution(input) {
      const { state, reason, wrong, result } = statementOf(input)
      const AthenaError = {
        ErrorCategory: wrong ? 2 : 1,
        ErrorType: wrong ? 1_000 : 200,
        ErrorMessage: reason,
      }
      return {
        QueryExecution: {
          QueryExecutionId: input.QueryExecutionId,
          Status: { State: state, ...(reason && { StateChangeReason: reason, AthenaError }) },
          Statistics: { DataScannedInBytes: result?.bytesScanned ?? 0, EngineExecutionTimeInMillis: 1 },
        },
      }
    },
    StopQueryExecution(input) {
      const statement = statementOf(input)
      if (statement.state === 'RUNNING') statement.state = 'CANCELLED'
      statement.abort.abort()
      return {}
    },
    GetQueryResults(input) {
      const { result } = statementOf(input)
      if (result === undefined) throw new Refused('the statement has no results')
      const all = [result.columns.map(({ name }) => name), ...result.rows]
      const from = Number(input.NextToken ?? 0)
      const until = from + (input.MaxResults ?? 1_000)
      const Rows = all.slice(from, until).map(values => ({
        Data: values.map(value => (value === null ? {} : { VarCharValue: value })),
      }))
      const ColumnInfo = result.columns.map(({ name, type }) => ({ Name: name, Type: type }))
      return {
        ResultSet: { Rows, ResultSetMetadata: { ColumnInfo } },
        ...(until < all.length && { NextToken: String(until) }),
      }
    },
  }

  async function settle(statement: Statement): Promise<void> {
    try {
      const result = await engine.run(statement.sql, statement.abort.signal, statement.database)
      if (statement.state !== 'RUNNING') return
      statement.result = result
      statement.state = 'SUCCEEDED'
    } catch (error) {
      if (statement.state !== 'RUNNING') return
      statement.state = 'FAILED'
      statement.reason = (error as Error).message
      statement.wrong = error instanceof StatementError
    }
  }

  function statementOf({ QueryExecutionId = '' }: Input): Statement {
    const statement = statements.get(QueryExecutionId)
    if (statement === undefined) throw new Refused(`QueryExecution ${QueryExecutionId} was not found`)
    return statement
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.')
    const input = JSON.parse(await text(request)) as Input
    try {
      const run = operations[operation]
      if (run === undefined) throw new Refused(`no such operation: ${operation}`)
      send(response, 200, run(input))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      send(response, 400, { __type: 'InvalidRequestException', Message: error.message })
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const { abort } of statements.values()) abort.abort()
      server.closeAllConnections()
      server.close()
      await engine.close()
    },
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' })
  response.end(JSON.stringify(body))
}
