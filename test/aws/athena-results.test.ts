import { GetQueryExecutionCommand, GetQueryResultsCommand } from '@aws-sdk/client-athena'
import { describe, expect, test } from 'vitest'
import type { QueryStatistics } from '#core/ports'
import { createMockedEngine, one, succeeded, throttled } from './mocked-athena.ts'

describe('the results', () => {
  const page = (rows: (string | undefined)[][], NextToken?: string, columns?: [string, string][]) => ({
    NextToken,
    ResultSet: {
      Rows: rows.map(values => ({ Data: values.map(VarCharValue => ({ VarCharValue })) })),
      ResultSetMetadata: columns && { ColumnInfo: columns.map(([Name, Type]) => ({ Name, Type })) },
    },
  })

  test('come from all pages, and only the first page has a header', async () => {
    const { engine, mock } = createMockedEngine()
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
    const { engine, mock } = createMockedEngine()
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
    const { engine, mock, stops } = createMockedEngine()
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    mock.on(GetQueryResultsCommand).rejects(throttled)
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(stops()).toBe(0)
  })
})

test.each(['SUCCEEDED', 'FAILED', 'CANCELLED'] as const)(
  'the statistics of a statement that has %s come once',
  async State => {
    const { engine, mock } = createMockedEngine()
    mock.on(GetQueryExecutionCommand).resolves({
      QueryExecution: {
        Status: { State },
        Statistics: {
          DataScannedInBytes: 12_345,
          EngineExecutionTimeInMillis: 420,
          QueryQueueTimeInMillis: 90,
        },
      },
    })
    const costs: QueryStatistics[] = []
    await engine.rows(one, { onStatistics: cost => costs.push(cost) }).catch(() => {})
    expect(costs).toEqual([
      {
        engine: 'athena',
        rowsScanned: null,
        bytesScanned: 12_345,
        // A bill has at least 10 MB for a statement.
        costUsd: 0.00005,
        engineMs: 420,
        queueMs: 90,
      },
    ])
  },
)
