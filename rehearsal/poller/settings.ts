import type { EventSourceMappingConfiguration } from '@aws-sdk/client-lambda'

/** How Lambda reads a stream for a function: what of an event source mapping decides about batches and retries. */
export type MappingSettings = {
  /** Records of a batch, at most. */
  batchSize: number
  /** How long a batch gathers records once it has its first, ms. */
  windowMs: number
  startAt: 'TRIM_HORIZON' | 'LATEST'
  /** A batch that fails is cut in halves. */
  bisects: boolean
  /** The function's answer may name the records that failed. */
  reportsFailures: boolean
  /** Tries after the first; Infinity: until the record leaves the stream. */
  retries: number
  /** Records older than this are passed over, ms. */
  maxAgeMs: number
}

/**
 * The settings of a deployed mapping, with Lambda's defaults for what it leaves open. Throws at what the poller does not
 * play: a mapping that asks for it would be shown wrongly.
 */
export function mappingSettings(mapping: EventSourceMappingConfiguration): MappingSettings {
  const { ParallelizationFactor = 1, TumblingWindowInSeconds = 0, StartingPosition, FilterCriteria } = mapping
  if (ParallelizationFactor !== 1) throw new Error('the consumer takes one batch of a shard at a time')
  if (TumblingWindowInSeconds !== 0) throw new Error('tumbling windows are not played')
  if (FilterCriteria?.Filters?.length) throw new Error('filters are not played')
  if (StartingPosition !== 'TRIM_HORIZON' && StartingPosition !== 'LATEST') {
    throw new Error(`a start at ${StartingPosition} is not played`)
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

/** -1 is Lambda's word for no limit, and its default. */
function unlimited(value: number | undefined): number {
  return value === undefined || value === -1 ? Number.POSITIVE_INFINITY : value
}
