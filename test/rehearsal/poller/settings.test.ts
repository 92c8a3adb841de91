import { expect, test } from 'vitest'
import { mappingSettings } from '#rehearsal/poller/settings'

test('a mapping that leaves all open has the defaults of Lambda', () => {
  expect(mappingSettings({ StartingPosition: 'LATEST' })).toEqual({
    batchSize: 100,
    windowMs: 0,
    startAt: 'LATEST',
    bisects: false,
    reportsFailures: false,
    retries: Number.POSITIVE_INFINITY,
    maxAgeMs: Number.POSITIVE_INFINITY,
  })
})

test('what a mapping says is read from it', () => {
  expect(
    mappingSettings({
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 10_000,
      MaximumBatchingWindowInSeconds: 60,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: 3,
      MaximumRecordAgeInSeconds: 120,
    }),
  ).toEqual({
    batchSize: 10_000,
    windowMs: 60_000,
    startAt: 'TRIM_HORIZON',
    bisects: true,
    reportsFailures: true,
    retries: 3,
    maxAgeMs: 120_000,
  })
})

test.each([
  ['several batches of a shard at a time', { ParallelizationFactor: 2 }],
  ['tumbling windows', { TumblingWindowInSeconds: 30 }],
  ['filters', { FilterCriteria: { Filters: [{ Pattern: '{}' }] } }],
  ['a start in the middle', { StartingPosition: 'AT_TIMESTAMP' as const }],
])('a mapping that asks for %s is refused: it would be played wrongly', (_, asked) => {
  expect(() => mappingSettings({ StartingPosition: 'TRIM_HORIZON', ...asked })).toThrow()
})
