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
import { nobody } from '../support/emulators.ts'
import { serviceFault } from '../support/service-fault.ts'

const one = sql`SELECT 1 AS one`
const throttled = serviceFault('TooManyRequestsException', 'client')

/** An engine whose client sends nothing; statements start as `q1` until a test says otherwise. */
function setUp(settings: Partial<AthenaEngineSettings> = {}) {
  const client = new AthenaClient({ maxAttempts: 1, ...nobody })
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
  return { engine, mock, stopped: () => mock.commandCalls(StopQueryExecutionCommand).length }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

function looks(...statuses: QueryExecutionStatus[]) {
  return statuses.map(Status => ({ QueryExecution: { QueryExecutionId: 'q1', Status } }))
}
const [running, succeeded] = looks({ State: 'RUNNING' }, { State: 'SUCCEEDED' }) as [object, object]

describe('a statement that ends without rows', () => {
  test.each<[string, QueryExecutionStatus, object]>([
    [
      'is the wrong statement: a defect of ours',
      {
        State: 'FAILED',
        StateChangeReason: "SYNTAX_ERROR: line 1:8: Column 'x' cannot be resolved",
        AthenaError: { ErrorCategory: 2, ErrorType: 1_000, Retryable: false },
      },
      { name: 'Error', message: expect.stringContaining('SYNTAX_ERROR') },
    ],
    [
      'gives no kind of its failure: a defect of ours',
      { State: 'FAILED', StateChangeReason: 'TYPE_MISMATCH' },
      { name: 'Error' },
    ],
    [
      'has exhausted the resources of the engine',
      { State: 'FAILED', AthenaError: { ErrorCategory: 2, ErrorType: 1, Retryable: false } },
      { code: 'UNAVAILABLE', extras: { retryAfter: 30 } },
    ],
    [
      'has exhausted them, as the reason tells alone',
      { State: 'FAILED', StateChangeReason: 'Query exhausted resources at this scale factor' },
      { code: 'UNAVAILABLE', extras: { retryAfter: 30 } },
    ],
    [
      'met a fault of the engine',
      { State: 'FAILED', AthenaError: { ErrorCategory: 1, ErrorType: 233 } },
      { code: 'UNAVAILABLE', extras: { retryAfter: 10 } },
    ],
    [
      'met a fault of another service',
      { State: 'FAILED', AthenaError: { ErrorCategory: 3, ErrorType: 1_300 } },
      { code: 'UNAVAILABLE' },
    ],
    [
      'met a fault that Athena calls passing',
      { State: 'FAILED', AthenaError: { ErrorCategory: 2, ErrorType: 1_001, Retryable: true } },
      { code: 'UNAVAILABLE' },
    ],
    [
      'would have read more than the workgroup allows',
      { State: 'CANCELLED', StateChangeReason: 'Bytes scanned limit was exceeded' },
      {
        code: 'UNAVAILABLE',
        message: expect.stringContaining('Ask for a shorter period'),
        extras: { retryAfter: 60 },
      },
    ],
    ['was stopped by an operator', { State: 'CANCELLED' }, { code: 'UNAVAILABLE' }],
  ])('%s', async (_, status, expected) => {
    const { engine, mock, stopped } = setUp()
    mock
      .on(GetQueryExecutionCommand)
      .resolvesOnce(running)
      .resolves(looks(status)[0] as object)
    await expect(engine.rows(one)).rejects.toMatchObject(expected)
    expect(stopped()).toBe(0)
  })

  test('never tells the caller the text of the engine', async () => {
    const { engine, mock } = setUp()
    mock
      .on(GetQueryExecutionCommand)
      .resolves(looks({ State: 'CANCELLED', StateChangeReason: 's3://bucket/secret' })[0] as object)
    await expect(engine.rows(one)).rejects.toMatchObject({
      message: 'An operator has stopped the query. Send the same request again after Retry-After seconds.',
    })
  })
})

describe('a start', () => {
  test('that is throttled is RATE_LIMITED with Retry-After', async () => {
    const { engine, mock } = setUp()
    mock.on(StartQueryExecutionCommand).rejects(throttled)
    await expect(engine.rows(one)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      extras: { retryAfter: 2 },
    })
  })

  test.each([
    ['fails', serviceFault('InternalServerException', 'server')],
    ['finds the token expired', serviceFault('ExpiredTokenException', 'client')],
  ])('that %s is UNAVAILABLE with Retry-After', async (_, error) => {
    const { engine, mock } = setUp()
    mock.on(StartQueryExecutionCommand).rejects(error)
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 5 } })
  })

  test('that is refused is a defect and stays what it is', async () => {
    const { engine, mock } = setUp()
    mock.on(StartQueryExecutionCommand).rejects(serviceFault('InvalidRequestException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ name: 'InvalidRequestException' })
  })

  test('names workgroup and database, and holds the values as literals', async () => {
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
    ['may give an earlier result where nothing that it reads changes', cold, 60, 60],
    ['gives no earlier result where it reads hot epochs', hot, 60, undefined],
    ['gives no earlier result where nothing says what it reads', one, 60, undefined],
    ['gives no earlier result where that is switched off', cold, 0, undefined],
  ])('%s', async (_, query, reuseMinutes, expected) => {
    const { engine, mock } = setUp({ reuseMinutes })
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    await engine.rows(query)
    const { ResultReuseConfiguration } = mock.commandCalls(StartQueryExecutionCommand)[0]?.args[0].input ?? {}
    expect(ResultReuseConfiguration?.ResultReuseByAgeConfiguration?.MaxAgeInMinutes).toBe(expected)
  })
})

describe('while a statement runs', () => {
  test('a look that is throttled or fails is followed by the next', async () => {
    const { engine, mock } = setUp()
    mock
      .on(GetQueryExecutionCommand)
      .rejectsOnce(throttled)
      .resolvesOnce(running)
      .rejectsOnce(serviceFault('InternalServerException', 'server'))
      .resolves(succeeded)
    expect(await engine.rows(one)).toEqual([{ one: 1 }])
  })

  test('a look that is refused ends it, and the statement is stopped', async () => {
    const { engine, mock, stopped } = setUp()
    mock.on(GetQueryExecutionCommand).rejects(serviceFault('AccessDeniedException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ name: 'AccessDeniedException' })
    expect(stopped()).toBe(1)
  })

  test('the end of its time stops it, also when the stop has to be tried again', async () => {
    const { engine, mock, stopped } = setUp({ timeoutMs: 30 })
    mock.on(GetQueryExecutionCommand).resolves(running)
    mock.on(StopQueryExecutionCommand).rejectsOnce(throttled).resolves({})
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 10 } })
    expect(stopped()).toBe(2)
  })

  test('a stop that is refused does not hide why it was stopped', async () => {
    const { engine, mock } = setUp({ timeoutMs: 30 })
    mock.on(GetQueryExecutionCommand).resolves(running)
    mock.on(StopQueryExecutionCommand).rejects(serviceFault('InvalidRequestException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a caller who goes away during the start has it stopped as soon as its id is known', async () => {
    const { engine, mock, stopped } = setUp()
    const caller = new AbortController()
    mock.on(StartQueryExecutionCommand).callsFake(async () => {
      caller.abort(new Error('hung up'))
      return { QueryExecutionId: 'q1' }
    })
    await expect(engine.rows(one, { signal: caller.signal })).rejects.toThrow('hung up')
    expect(stopped()).toBe(1)
  })
})

describe('a call that is answered late', () => {
  const before = 100
  const context = { getRemainingTimeInMillis: () => before + 20 } as Context

  /** A handler of two statements that never end; what was still to be stopped when it was answered. */
  async function answeredLate(withinMs: number, stop: () => Promise<object>): Promise<number> {
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

  test('has its statements stopped before Lambda stands still', async () => {
    expect(await answeredLate(5_000, () => sleep(30, {}))).toBe(0)
  })

  test('does not wait for ever for a stop', async () => {
    expect(await answeredLate(30, () => new Promise(() => {}))).toBe(2)
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

  test('are followed page by page; only the first has the names', async () => {
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

  test('have numbers as Trino writes them, booleans, empty text and null', async () => {
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

  test('that fail to come are UNAVAILABLE', async () => {
    const { engine, mock, stopped } = setUp()
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    mock.on(GetQueryResultsCommand).rejects(throttled)
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(stopped()).toBe(0)
  })
})

test.each(['SUCCEEDED', 'FAILED', 'CANCELLED'] as const)(
  'what a statement that has %s cost is told once',
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
    const told: QueryStatistics[] = []
    await engine.rows(one, { onStatistics: cost => told.push(cost) }).catch(() => {})
    expect(told).toEqual([
      { bytesScanned: 12_345, engineMs: 420, queueMs: 90, reused: State === 'SUCCEEDED' },
    ])
  },
)
