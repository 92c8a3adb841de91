import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The result of a statement, with values as Athena writes them, null for NULL, and Athena's type names. */
export type StatementResult = {
  columns: { name: string; type: string }[]
  rows: (string | null)[][]
  bytesScanned: number
}

/** Runs the statements. `run` rejects with a StatementError when the statement is wrong. */
export type StatementEngine = {
  run(sql: string, signal: AbortSignal, database: string): Promise<StatementResult>
  close(): Promise<void>
}

/** The engine rejects the statement. The message has the reason. */
export class StatementError extends Error {}

type Statement = {
  state: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'
  sql: string
  database: string
  abort: AbortController
  result?: StatementResult
  reason?: string
  isStatementWrong?: boolean
}

type Input = {
  QueryString?: string
  QueryExecutionContext?: { Database?: string }
  ClientRequestToken?: string
  QueryExecutionId?: string
  NextToken?: string
  MaxResults?: number
}

class RequestError extends Error {
  readonly type: string = 'InvalidRequestException'
}

/** Athena starts 20 statements a second. The client of the SDK takes this type for throttling. */
class TooManyRequests extends RequestError {
  override readonly type = 'TooManyRequestsException'
}

export type AthenaEmulator = {
  endpoint: string
  /** Refuses the next starts, as Athena does when an account starts too many statements. */
  throttleStarts(times: number): void
  /** Number of starts that are still to be refused. */
  throttlesLeft(): number
  stop(): Promise<void>
}

/**
 * Emulates the part of Athena's protocol (JSON 1.1 over HTTP/1.1) that the SDK client needs to run a
 * statement: start, get the state, stop, and read the result in pages, with the column names in the first
 * row. It has no queue, no limits of its own and no result reuse.
 */
export async function startAthenaEmulator(engine: StatementEngine): Promise<AthenaEmulator> {
  const statements = new Map<string, Statement>()
  const tokens = new Map<string, string>()
  let throttles = 0

  const operations: Record<string, (input: Input) => unknown> = {
    StartQueryExecution({ QueryString = '', QueryExecutionContext, ClientRequestToken = randomUUID() }) {
      if (throttles > 0) {
        throttles -= 1
        throw new TooManyRequests('You have exceeded the limit for the number of queries you can run.')
      }
      const startedId = tokens.get(ClientRequestToken)
      if (startedId !== undefined) return { QueryExecutionId: startedId }
      const id = randomUUID()
      const statement: Statement = {
        state: 'RUNNING',
        sql: QueryString,
        database: QueryExecutionContext?.Database ?? '',
        abort: new AbortController(),
      }
      tokens.set(ClientRequestToken, id)
      statements.set(id, statement)
      void runStatement(statement)
      return { QueryExecutionId: id }
    },
    GetQueryExecution(input) {
      const { state, reason, isStatementWrong, result } = statementOf(input)
      const AthenaError = {
        ErrorCategory: isStatementWrong ? 2 : 1,
        ErrorType: isStatementWrong ? 1_000 : 200,
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
      if (result === undefined) throw new RequestError('The statement has no results.')
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

  async function runStatement(statement: Statement): Promise<void> {
    try {
      const result = await engine.run(statement.sql, statement.abort.signal, statement.database)
      if (statement.state !== 'RUNNING') return
      statement.result = result
      statement.state = 'SUCCEEDED'
    } catch (error) {
      if (statement.state !== 'RUNNING') return
      statement.state = 'FAILED'
      statement.reason = (error as Error).message
      statement.isStatementWrong = error instanceof StatementError
    }
  }

  function statementOf({ QueryExecutionId = '' }: Input): Statement {
    const statement = statements.get(QueryExecutionId)
    if (statement === undefined) throw new RequestError(`QueryExecution ${QueryExecutionId} was not found`)
    return statement
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.')
    const input = JSON.parse(await text(request)) as Input
    try {
      const run = operations[operation]
      if (run === undefined) throw new RequestError(`Unknown operation ${operation}.`)
      send(response, 200, run(input))
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      send(response, 400, { __type: error.type, Message: error.message })
    }
  }

  const server = createServer((request, response) => void respond(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    throttleStarts(times) {
      throttles = times
    },
    throttlesLeft: () => throttles,
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
