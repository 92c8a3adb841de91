import { setTimeout as sleep } from 'node:timers/promises'
import {
  AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type QueryExecutionStatus,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import type { Context } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openInstruments } from '#aws/instruments'
import { type AthenaEngineSettings, createAthenaEngine } from '#aws/query-engine'
import type { QueryStatistics, SqlQuery } from '#core/ports'
import { sql, withScans } from '#core/sql'
import { awsError } from '../support/aws-error.ts'
import { EMULATOR_ACCESS } from '../support/emulators.ts'

const one = sql`SELECT 1 AS one`
const throttled = awsError('TooManyRequestsException', 'client')

/** An engine whose client sends nothing. By default a statement starts with the id `q1`. */
function setUp(settings: Partial<AthenaEngineSettings> = {}) {
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
  const names = { workGroup: 'reports', database: 'footfall' }
  const engine = createAthenaEngine({ client, ...names, firstPollMs: 1, maxPollMs: 2, ...settings })
  return { engine, mock, stops: () => mock.commandCalls(StopQueryExecutionCommand).length }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

function pollResponses(...statuses: QueryExecutionStatus[]) {
  return statuses.map(Status => ({ QueryExecution: { QueryExecutionId: 'q1', Status } }))
}
const [running, succeeded] = pollResponses({ State: 'RUNNING' }, { State: 'SUCCEEDED' }) as [object, object]

describe('a statement that fails', () => {
  test.each<[string, QueryExecutionStatus, object]>([
    [
      'because it is wrong is our bug',
      {
        State: 'FAILED',
        StateChangeReason: "SYNTAX_ERROR: line 1:8: Column 'x' cannot be resolved",
        AthenaError: { ErrorCategory: 2, ErrorType: 1_000, Retryable: false },
      },
      { name: 'Error', message: expect.stringContaining('SYNTAX_ERROR') },
    ],
    [
      'without an error type is our bug',
      { State: 'FAILED', StateChangeReason: 'TYPE_MISMATCH' },
      { name: 'Error' },
    ],
    [
      'by an error type of exhausted resources is UNAVAILABLE',
      { State: 'FAILED', AthenaError: { ErrorCategory: 2, ErrorType: 1, Retryable: false } },
      { code: 'UNAVAILABLE', extras: { retryAfter: 30 } },
    ],
    [
      'by a reason of exhausted resources is UNAVAILABLE',
      { State: 'FAILED', StateChangeReason: 'Query exhausted resources at this scale factor' },
      { code: 'UNAVAILABLE', extras: { retryAfter: 30 } },
    ],
    [
      'by an error of the engine is UNAVAILABLE',
      { State: 'FAILED', AthenaError: { ErrorCategory: 1, ErrorType: 233 } },
      { code: 'UNAVAILABLE', extras: { retryAfter: 10 } },
    ],
    [
      'by an error of another service is UNAVAILABLE',
      { State: 'FAILED', AthenaError: { ErrorCategory: 3, ErrorType: 1_300 } },
      { code: 'UNAVAILABLE' },
    ],
    [
      'by an error that Athena calls retryable is UNAVAILABLE',
      { State: 'FAILED', AthenaError: { ErrorCategory: 2, ErrorType: 1_001, Retryable: true } },
      { code: 'UNAVAILABLE' },
    ],
    [
      'by the byte limit of the workgroup is UNAVAILABLE',
      { State: 'CANCELLED', StateChangeReason: 'Bytes scanned limit was exceeded' },
      {
        code: 'UNAVAILABLE',
        message: expect.stringContaining('Ask for a shorter period'),
        extras: { retryAfter: 60 },
      },
    ],
    ['because an operator stopped it is UNAVAILABLE', { State: 'CANCELLED' }, { code: 'UNAVAILABLE' }],
  ])('%s', async (_, status, expected) => {
    const { engine, mock, stops } = setUp()
    mock
      .on(GetQueryExecutionCommand)
      .resolvesOnce(running)
      .resolves(pollResponses(status)[0] as object)
    await expect(engine.rows(one)).rejects.toMatchObject(expected)
    expect(stops()).toBe(0)
  })

  test('does not show the text of the engine to the caller', async () => {
    const { engine, mock } = setUp()
    mock
      .on(GetQueryExecutionCommand)
      .resolves(pollResponses({ State: 'CANCELLED', StateChangeReason: 's3://bucket/secret' })[0] as object)
    await expect(engine.rows(one)).rejects.toMatchObject({
      message: 'An operator has stopped the query. Send the same request again after Retry-After seconds.',
    })
  })
})

describe('the start of a statement', () => {
  test('is RATE_LIMITED with Retry-After when Athena throttles it', async () => {
    const { engine, mock } = setUp()
    mock.on(StartQueryExecutionCommand).rejects(throttled)
    await expect(engine.rows(one)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      extras: { retryAfter: 2 },
    })
  })

  test.each([
    ['Athena fails', awsError('InternalServerException', 'server')],
    ['the credentials have expired', awsError('ExpiredTokenException', 'client')],
  ])('is UNAVAILABLE with Retry-After when %s', async (_, error) => {
    const { engine, mock } = setUp()
    mock.on(StartQueryExecutionCommand).rejects(error)
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 5 } })
  })

  test('stays the same error when Athena rejects it', async () => {
    const { engine, mock } = setUp()
    mock.on(StartQueryExecutionCommand).rejects(awsError('InvalidRequestException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ name: 'InvalidRequestException' })
  })

  test('names workgroup and database, and has the values as literals', async () => {
    const { engine, mock } = setUp()
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    await engine.rows(sql`SELECT 1 AS one WHERE ${"o'brien"} = ${5}`)
    expect(mock.commandCalls(StartQueryExecutionCommand)[0]?.args[0].input).toMatchObject({
      QueryString: "SELECT 1 AS one WHERE 'o''brien' = BIGINT '5'",
      WorkGroup: 'reports',
      QueryExecutionContext: { Database: 'footfall' },
    })
  })

  const cold = withScans(sql`SELECT 1 AS one`, { table: 'events_cold', date: ['2026-11-01', '2026-11-02'] })
  const hot = withScans(cold, { table: 'events_hot', epoch: [3, 4] })
  test.each<[string, SqlQuery, number, number | undefined]>([
    ['may reuse an earlier result when it reads only files that never change', cold, 60, 60],
    ['does not reuse a result when it reads hot epochs', hot, 60, undefined],
    ['does not reuse a result without scans', one, 60, undefined],
    ['does not reuse a result when reuse is off', cold, 0, undefined],
  ])('%s', async (_, query, reuseMinutes, expected) => {
    const { engine, mock } = setUp({ reuseMinutes })
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    await engine.rows(query)
    const { ResultReuseConfiguration } = mock.commandCalls(StartQueryExecutionCommand)[0]?.args[0].input ?? {}
    expect(ResultReuseConfiguration?.ResultReuseByAgeConfiguration?.MaxAgeInMinutes).toBe(expected)
  })
})

describe('while a statement runs', () => {
  test('a throttled or failed poll is followed by the next poll', async () => {
    const { engine, mock } = setUp()
    mock
      .on(GetQueryExecutionCommand)
      .rejectsOnce(throttled)
      .resolvesOnce(running)
      .rejectsOnce(awsError('InternalServerException', 'server'))
      .resolves(succeeded)
    expect(await engine.rows(one)).toEqual([{ one: 1 }])
  })

  test('a rejected poll stops the statement and throws', async () => {
    const { engine, mock, stops } = setUp()
    mock.on(GetQueryExecutionCommand).rejects(awsError('AccessDeniedException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ name: 'AccessDeniedException' })
    expect(stops()).toBe(1)
  })

  test('the timeout stops it, with a second try when the stop is throttled', async () => {
    const { engine, mock, stops } = setUp({ timeoutMs: 30 })
    mock.on(GetQueryExecutionCommand).resolves(running)
    mock.on(StopQueryExecutionCommand).rejectsOnce(throttled).resolves({})
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 10 } })
    expect(stops()).toBe(2)
  })

  test('a rejected stop does not hide the timeout', async () => {
    const { engine, mock } = setUp({ timeoutMs: 30 })
    mock.on(GetQueryExecutionCommand).resolves(running)
    mock.on(StopQueryExecutionCommand).rejects(awsError('InvalidRequestException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a caller that leaves during the start stops the statement after the start', async () => {
    const { engine, mock, stops } = setUp()
    const caller = new AbortController()
    mock.on(StartQueryExecutionCommand).callsFake(async () => {
      caller.abort(new Error('the caller left'))
      return { QueryExecutionId: 'q1' }
    })
    await expect(engine.rows(one, { signal: caller.signal })).rejects.toThrow('the caller left')
    expect(stops()).toBe(1)
  })
})

describe('a call that runs into its timeout', () => {
  const before = 100
  const context = { getRemainingTimeInMillis: () => before + 20 } as Context

  /** Runs two endless statements until the timeout response. Returns how many of them were not stopped by then. */
  async function runningAfterTimeout(withinMs: number, stop: () => Promise<object>): Promise<number> {
    vi.stubEnv('POWERTOOLS_TRACE_ENABLED', 'false')
    const { engine, mock } = setUp()
    let left = 2
    mock.on(GetQueryExecutionCommand).resolves(running)
    mock.on(StopQueryExecutionCommand).callsFake(async () => {
      await stop()
      left -= 1
      return {}
    })
    const handler = openInstruments().instrument(
      async (_, signal) => {
        await Promise.all([engine.rows(one, { signal }), engine.rows(one, { signal })])
      },
      { before, respond: () => engine.waitUntilIdle(withinMs) },
    )
    await handler({}, context)
    return left
  }

  test('stops its statements before the response', async () => {
    expect(await runningAfterTimeout(5_000, () => sleep(30, {}))).toBe(0)
  })

  test('does not wait for a stop without end', async () => {
    expect(await runningAfterTimeout(30, () => new Promise(() => {}))).toBe(2)
  })
})

describe('the results', () => {
  const page = (rows: (string | undefined)[][], NextToken?: string, columns?: [string, string][]) => ({
    NextToken,
    ResultSet: {
      Rows: rows.map(values => ({ Data: values.map(VarCharValue => ({ VarCharValue })) })),
      ResultSetMetadata: columns && { ColumnInfo: columns.map(([Name, Type]) => ({ Name, Type })) },
    },
  })

  test('come from all pages, and only the first page has a header', async () => {
    const { engine, mock } = setUp()
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    const columns: [string, string][] = [['n', 'bigint']]
    mock
      .on(GetQueryResultsCommand)
      .resolvesOnce(page([['n'], ['1']], 'a', columns))
      .resolvesOnce(page([['2']], 'b', columns))
      .resolvesOnce(page([['3']], undefined, columns))
    expect(await engine.rows(one)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    const tokens = mock.commandCalls(GetQueryResultsCommand).map(({ args }) => args[0].input.NextToken)
    expect(tokens).toEqual([undefined, 'a', 'b'])
  })

  test('have numbers in Trino’s notation, booleans, empty text and null', async () => {
    const { engine, mock } = setUp()
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    mock.on(GetQueryResultsCommand).resolves(
      page(
        [
          ['d', 'r', 'i', 'b', 'e', 'n', 'u'],
          ['1.0E10', '-0.5', '-3', 'false', '', undefined, undefined],
        ],
        undefined,
        [
          ['d', 'double'],
          ['r', 'float'],
          ['i', 'tinyint'],
          ['b', 'boolean'],
          ['e', 'varchar'],
          ['n', 'bigint'],
          ['u', 'unknown'],
        ],
      ),
    )
    expect(await engine.rows(one)).toEqual([{ d: 1e10, r: -0.5, i: -3, b: false, e: '', n: null, u: null }])
  })

  test('are UNAVAILABLE when a page is throttled', async () => {
    const { engine, mock, stops } = setUp()
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    mock.on(GetQueryResultsCommand).rejects(throttled)
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(stops()).toBe(0)
  })
})

test.each(['SUCCEEDED', 'FAILED', 'CANCELLED'] as const)(
  'the statistics of a statement that has %s come once',
  async State => {
    const { engine, mock } = setUp()
    mock.on(GetQueryExecutionCommand).resolves({
      QueryExecution: {
        Status: { State },
        Statistics: {
          DataScannedInBytes: 12_345,
          EngineExecutionTimeInMillis: 420,
          QueryQueueTimeInMillis: 90,
          ResultReuseInformation: { ReusedPreviousResult: State === 'SUCCEEDED' },
        },
      },
    })
    const costs: QueryStatistics[] = []
    await engine.rows(one, { onStatistics: cost => costs.push(cost) }).catch(() => {})
    expect(costs).toEqual([
      { bytesScanned: 12_345, engineMs: 420, queueMs: 90, reused: State === 'SUCCEEDED' },
    ])
  },
)
