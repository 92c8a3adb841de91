import {
  GetQueryExecutionCommand,
  type QueryExecutionStatus,
  StartQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import { describe, expect, test } from 'vitest'
import { sql } from '#core/sql'
import { awsError } from '../support/aws-error.ts'
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
  test('is UNAVAILABLE with Retry-After when Athena throttles it', async () => {
    const { engine, mock } = createMockedEngine()
    mock.on(StartQueryExecutionCommand).rejects(throttled)
    await expect(engine.rows(one)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 503,
      extras: { retryAfter: 2 },
    })
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
