import type { EventSourceMappingConfiguration } from '@aws-sdk/client-lambda'

/** The settings of an event source mapping that define batches and retries. */
export type MappingSettings = {
  /** Maximum number of records in a batch. */
  batchSize: number
  /** How long a batch waits for more records after its first one, ms. */
  windowMs: number
  startAt: 'TRIM_HORIZON' | 'LATEST'
  /** Whether a failed batch is retried in two halves. */
  bisects: boolean
  /** Whether a response may name failed records. */
  reportsFailures: boolean
  /** Tries after the first one. Infinity means until the record leaves the stream. */
  retries: number
  /** Older records are discarded, ms. */
  maxAgeMs: number
}

/**
 * Converts a deployed mapping to settings, with Lambda's defaults. Throws for a setting that the poller does
 * not support, so that the rehearsal never shows a wrong behaviour.
 */
export function toMappingSettings(mapping: EventSourceMappingConfiguration): MappingSettings {
  const { ParallelizationFactor = 1, TumblingWindowInSeconds = 0, StartingPosition, FilterCriteria } = mapping
  if (ParallelizationFactor !== 1) throw new Error('The poller supports only ParallelizationFactor 1.')
  if (TumblingWindowInSeconds !== 0) throw new Error('The poller does not support tumbling windows.')
  if (FilterCriteria?.Filters?.length) throw new Error('The poller does not support filters.')
  if (StartingPosition !== 'TRIM_HORIZON' && StartingPosition !== 'LATEST') {
    throw new Error(`The poller does not support the starting position ${StartingPosition}.`)
  }
  return {
    batchSize: mapping.BatchSize ?? 100,
    windowMs: (mapping.MaximumBatchingWindowInSeconds ?? 0) * 1_000,
    startAt: StartingPosition,
    bisects: mapping.BisectBatchOnFunctionError ?? false,
    reportsFailures: mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
    retries: unlimited(mapping.MaximumRetryAttempts),
    maxAgeMs: unlimited(mapping.MaximumRecordAgeInSeconds) * 1_000,
  }
}

/** Lambda's value for "no limit" is -1, which is also the default. */
function unlimited(value: number | undefined): number {
  return value === undefined || value === -1 ? Number.POSITIVE_INFINITY : value
}
