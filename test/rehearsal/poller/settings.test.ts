import { expect, test } from 'vitest'
import { toMappingSettings } from '#rehearsal/poller/settings'

test("a mapping without settings gets Lambda's defaults", () => {
  expect(toMappingSettings({ StartingPosition: 'LATEST' })).toEqual({
    batchSize: 100,
    windowMs: 0,
    startAt: 'LATEST',
    bisects: false,
    reportsFailures: false,
    retries: Number.POSITIVE_INFINITY,
    maxAgeMs: Number.POSITIVE_INFINITY,
  })
})

test('settings of a mapping override the defaults', () => {
  expect(
    toMappingSettings({
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
  ['parallel batches of a shard', { ParallelizationFactor: 2 }],
  ['tumbling windows', { TumblingWindowInSeconds: 30 }],
  ['filters', { FilterCriteria: { Filters: [{ Pattern: '{}' }] } }],
  ['a start at a timestamp', { StartingPosition: 'AT_TIMESTAMP' as const }],
])('a mapping with %s is an error, because the poller does not support it', (_, unsupported) => {
  expect(() => toMappingSettings({ StartingPosition: 'TRIM_HORIZON', ...unsupported })).toThrow()
})
