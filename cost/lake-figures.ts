import { plainRecordBytes, recordBytes, requests, shards } from './ingest.ts'
import { newestSegments, segmentBytesPerEvent } from './segments.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

export type LakeFigures = {
  /** Invocations of the consumer a month. */
  batches: number
  /** Claims of the consumer a month. Each writes one hot file. */
  claims: number
  /** Closed epochs a month. */
  epochs: number
  /** Compaction jobs of one epoch. */
  jobsPerEpoch: number
  /** Buckets with at least one project. */
  buckets: number
  /** Buckets that get a segment from one epoch. */
  segmentsPerEpoch: number
  /** Merges a month. */
  merges: number
  /** Bytes of the manifest of a bucket with events, with its pages. */
  manifestBytes: number
}

export function lakeFigures(usage: Usage): LakeFigures {
  const { lake, state, minutesPerMonth, daysPerMonth } = system
  const records = requests(usage)
  const batches = Math.max(
    expectedDistinct(shards(usage) * minutesPerMonth, records),
    records / lake.batchRecords,
    (records * recordBytes(usage)) / lake.batchBytes,
  )
  const claims = Math.max(
    batches,
    records / lake.claimRecords,
    (records * plainRecordBytes(usage)) / lake.claimBytes,
  )
  const hotBytes = usage.events * lake.hotBytes
  // Maintenance closes at most one epoch a minute.
  const epochs = Math.min(
    minutesPerMonth,
    Math.max(
      expectedDistinct(minutesPerMonth / usage.epochMinutes, records),
      hotBytes / lake.epochBytes,
      claims / lake.epochFiles,
    ),
  )
  const jobsPerEpoch = epochs === 0 ? 0 : Math.min(lake.buckets, Math.ceil(hotBytes / epochs / lake.jobBytes))
  const buckets = lake.buckets * (1 - (1 - 1 / lake.buckets) ** usage.projects)
  const segmentsPerEpoch = epochs === 0 ? 0 : expectedDistinct(buckets, records / epochs)
  const bucketEpochs = epochs * (segmentsPerEpoch / buckets)
  const stored = { bytes: usage.events * usage.months * segmentBytesPerEvent, epochs: epochs * usage.months }
  const live = newestSegments({ bytes: stored.bytes / buckets, epochs: stored.epochs })
  // Each epoch's segment is merged within a day, and about every seventh merged one as well.
  const mergesPerSegment = 1 / (lake.mergeSegments - 1)
  const retired = (bucketEpochs / daysPerMonth) * (1 + mergesPerSegment)
  return {
    batches,
    claims,
    epochs,
    jobsPerEpoch,
    buckets,
    segmentsPerEpoch,
    merges: epochs * segmentsPerEpoch * mergesPerSegment,
    manifestBytes: (live + retired) * state.manifest.segmentBytes,
  }
}

/** Returns the expected number of distinct values when `samples` values are drawn at random from `values`. */
export function expectedDistinct(values: number, samples: number): number {
  return values * -Math.expm1(-samples / values)
}
