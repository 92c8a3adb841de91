import {
  AthenaClient,
  GetQueryResultsCommand,
  type QueryExecutionStatus,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import { mockClient } from 'aws-sdk-client-mock'
import { type AthenaEngineSettings, createAthenaEngine } from '#aws/query-engine'
import { sql } from '#core/sql/sql'
import { awsError } from '#test/support/aws-error'
import { EMULATOR_ACCESS } from '#test/support/emulators'

export const one = sql`SELECT 1 AS one`
export const throttled = awsError('TooManyRequestsException', 'client')

/** An engine whose client sends nothing. By default a statement starts with the id `q1`. */
export function createMockedEngine(settings: Partial<AthenaEngineSettings> = {}) {
  const client = new AthenaClient({ maxAttempts: 1, ...EMULATOR_ACCESS })
  const mock = mockClient(client)
  mock.on(StartQueryExecutionCommand).resolves({ QueryExecutionId: 'q1' })
  mock.on(StopQueryExecutionCommand).resolves({})
  mock.on(GetQueryResultsCommand).resolves({
    ResultSet: {
      Rows: [{ Data: [{ VarCharValue: 'one' }] }, { Data: [{ VarCharValue: '1' }] }],
      ResultSetMetadata: { ColumnInfo: [{ Name: 'one', Type: 'integer' }] },
    },
  })
  const names = { workGroup: 'reports', database: 'footfall', lakeLocation: 's3://lake' }
  const engine = createAthenaEngine({
    client,
    ...names,
    firstPollMs: 1,
    maxPollMs: 2,
    startBackoff: { baseMs: 1, maxMs: 2 },
    ...settings,
  })
  return { engine, mock, stops: () => mock.commandCalls(StopQueryExecutionCommand).length }
}

/** The responses to polls of the statement. */
export function pollResponses(...statuses: QueryExecutionStatus[]) {
  return statuses.map(Status => ({ QueryExecution: { QueryExecutionId: 'q1', Status } }))
}

export const [running, succeeded] = pollResponses({ State: 'RUNNING' }, { State: 'SUCCEEDED' }) as [
  object,
  object,
]
