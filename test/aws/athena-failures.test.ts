import {
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type QueryExecutionStatus,
  StartQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import { describe, expect, test } from 'vitest'
import { sql } from '#core/sql/sql'
import { awsError } from '#test/support/aws-error'
import { createFakeClock } from '#test/support/fake-clock'
import { createMockedEngine, one, pollResponses, running, succeeded, throttled } from './mocked-athena.ts'

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
      'because it has more stages than Trino plans says what to leave out',
      {
        State: 'FAILED',
        StateChangeReason:
          'QUERY_HAS_TOO_MANY_STAGES: Number of stages in the query (154) exceeds the allowed maximum (150).',
        AthenaError: { ErrorCategory: 2, ErrorType: 1_000, Retryable: false },
      },
      { code: 'QUERY_FAILED', message: expect.stringContaining('Use fewer') },
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
    [
      'because S3 is asked too often is UNAVAILABLE',
      {
        State: 'FAILED',
        StateChangeReason:
          'HIVE_CURSOR_ERROR: Please reduce your request rate. (Service: Amazon S3; Status Code: 503; Error Code: SlowDown)',
        AthenaError: { ErrorCategory: 2, ErrorType: 1_200, Retryable: false },
      },
      { code: 'UNAVAILABLE', status: 503, extras: { retryAfter: 2 } },
    ],
    [
      'because the catalog throttles is UNAVAILABLE',
      {
        State: 'FAILED',
        AthenaError: { ErrorMessage: 'HIVE_METASTORE_ERROR: Rate exceeded (ThrottlingException)' },
      },
      { code: 'UNAVAILABLE', status: 503 },
    ],
    ['because an operator stopped it is UNAVAILABLE', { State: 'CANCELLED' }, { code: 'UNAVAILABLE' }],
  ])('%s', async (_, status, expected) => {
    const { engine, mock, stops } = createMockedEngine()
    mock
      .on(GetQueryExecutionCommand)
      .resolvesOnce(running)
      .resolves(pollResponses(status)[0] as object)
    await expect(engine.rows(one)).rejects.toMatchObject(expected)
    expect(stops()).toBe(0)
  })

  test('does not show the text of the engine to the caller', async () => {
    const { engine, mock } = createMockedEngine()
    mock
      .on(GetQueryExecutionCommand)
      .resolves(pollResponses({ State: 'CANCELLED', StateChangeReason: 's3://bucket/secret' })[0] as object)
    await expect(engine.rows(one)).rejects.toMatchObject({
      message: 'An operator has stopped the query. Send the same request again after Retry-After seconds.',
    })
  })
})

describe('the start of a statement', () => {
  test('is tried again while Athena throttles it, and is UNAVAILABLE with Retry-After when it does so until the deadline', async () => {
    const clock = createFakeClock()
    const { engine, mock } = createMockedEngine({ timeoutMs: 100, clock })
    const starts = () => mock.commandCalls(StartQueryExecutionCommand).length
    mock.on(StartQueryExecutionCommand).callsFake(async () => {
      if (starts() === 5) clock.advance(100)
      throw throttled
    })
    await expect(engine.rows(one)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 503,
      extras: { retryAfter: 2 },
    })
    expect(starts()).toBe(5)
  })

  test('succeeds after Athena has throttled it five times', async () => {
    const { engine, mock } = createMockedEngine()
    const start = mock.on(StartQueryExecutionCommand)
    for (let at = 0; at < 5; at++) start.rejectsOnce(throttled)
    start.resolves({ QueryExecutionId: 'q1' })
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    expect(await engine.rows(one)).toEqual([{ one: 1 }])
    expect(mock.commandCalls(StartQueryExecutionCommand)).toHaveLength(6)
  })

  test('is not tried again when its caller has gone', async () => {
    const { engine, mock } = createMockedEngine({ startBackoff: { baseMs: 60_000, maxMs: 60_000 } })
    mock.on(StartQueryExecutionCommand).rejects(throttled)
    const caller = new AbortController()
    const rows = engine.rows(one, { signal: caller.signal })
    caller.abort(new Error('gone'))
    await expect(rows).rejects.toThrow('gone')
    expect(mock.commandCalls(StartQueryExecutionCommand)).toHaveLength(1)
  })

  test.each([
    ['Athena fails', awsError('InternalServerException', 'server')],
    ['the credentials have expired', awsError('ExpiredTokenException', 'client')],
  ])('is UNAVAILABLE with Retry-After when %s', async (_, error) => {
    const { engine, mock } = createMockedEngine()
    mock.on(StartQueryExecutionCommand).rejects(error)
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 5 } })
  })

  test('stays the same error when Athena rejects it', async () => {
    const { engine, mock } = createMockedEngine()
    mock.on(StartQueryExecutionCommand).rejects(awsError('InvalidRequestException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ name: 'InvalidRequestException' })
  })

  test('names workgroup and database, and has the values as literals', async () => {
    const { engine, mock } = createMockedEngine()
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    await engine.rows(sql`SELECT 1 AS one WHERE ${"o'brien"} = ${5}`)
    expect(mock.commandCalls(StartQueryExecutionCommand)[0]?.args[0].input).toMatchObject({
      QueryString: "SELECT 1 AS one WHERE 'o''brien' = BIGINT '5'",
      WorkGroup: 'reports',
      QueryExecutionContext: { Database: 'footfall' },
    })
  })
})

describe('the results of a statement', () => {
  test.each(['TooManyRequestsException', 'ThrottlingException'])(
    'are UNAVAILABLE when Athena answers %s',
    async name => {
      const { engine, mock } = createMockedEngine()
      mock.on(GetQueryExecutionCommand).resolves(succeeded)
      mock.on(GetQueryResultsCommand).rejects(awsError(name, 'client'))
      await expect(engine.rows(one)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        status: 503,
        extras: { retryAfter: expect.any(Number) },
      })
    },
  )
})

describe('a running statement', () => {
  test('continues while Athena does not report its state', async () => {
    const { engine, mock } = createMockedEngine()
    mock.on(GetQueryExecutionCommand).rejectsOnce(throttled).rejectsOnce(throttled).resolves(succeeded)
    await expect(engine.rows(one)).resolves.toEqual(expect.any(Array))
  })
})
