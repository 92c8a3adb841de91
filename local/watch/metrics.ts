import { freemem, totalmem } from 'node:os'
import { type LogCode, logCodes } from '#schemas/log'
import { REFUSAL_REASONS, type RefusalReason } from '#schemas/refusals'
import type { Counters, Reads } from './counters.ts'
import type { Metric, Sample } from './prometheus.ts'
import type { Readings } from './readings.ts'

export type MetricSources = {
  readings: Readings
  counters: Counters
  version: string
  /** Unix ms. */
  startedAt: number
}

type Definition = Omit<Metric, 'samples'> & { samples(sources: MetricSources): readonly Sample[] }

/** The quantiles of a report's reads. */
const QUANTILES = [0.5, 0.99]

/** Every metric of `GET /metrics`. docs/monitoring.md explains them; all names begin with `footfall_`. */
const definitions: readonly Definition[] = [
  {
    name: 'info',
    type: 'gauge',
    help: 'The version of the service; always 1.',
    samples: ({ version }) => [{ labels: { version }, value: 1 }],
  },
  {
    name: 'start_time_seconds',
    type: 'gauge',
    help: 'When the process started, Unix seconds.',
    samples: ({ startedAt }) => one(startedAt / 1_000),
  },
  {
    name: 'lake_lag_seconds',
    type: 'gauge',
    help: 'Age of the oldest event that reports do not have yet; NaN if its record cannot be read.',
    samples: ({ readings }) => one(readings.lake_lag_seconds ?? Number.NaN),
  },
  {
    name: 'waiting_bytes',
    type: 'gauge',
    help: 'Records of the event log that the lake does not have yet, bytes.',
    samples: ({ readings }) => one(readings.waiting_bytes),
  },
  {
    name: 'claim_age_seconds',
    type: 'gauge',
    help: 'Age of the oldest claim that the lake consumer has not finished; 0 without one.',
    samples: ({ readings }) => one(readings.claim_age_seconds),
  },
  {
    name: 'compaction_waiting_epochs',
    type: 'gauge',
    help: 'Closed epochs that are not compacted yet.',
    samples: ({ readings }) => one(readings.waiting_epochs),
  },
  {
    name: 'compaction_lag_seconds',
    type: 'gauge',
    help: 'Time since the oldest epoch was closed that is not compacted; 0 without one.',
    samples: ({ readings }) => one(readings.compaction_lag_seconds),
  },
  {
    name: 'manifest_bytes',
    type: 'gauge',
    help: 'Size of the largest manifest of a bucket, without its pages.',
    samples: ({ readings }) => one(readings.manifest_bytes),
  },
  {
    name: 'erasures_waiting',
    type: 'gauge',
    help: 'Erasures whose events are hidden and not yet gone from every file; read once a minute.',
    samples: ({ readings }) => one(readings.erasures_waiting),
  },
  {
    name: 'disk_free_bytes',
    type: 'gauge',
    help: 'Free room of the disk of DATA_DIR.',
    samples: ({ readings }) => one(readings.disk.free),
  },
  {
    name: 'disk_size_bytes',
    type: 'gauge',
    help: 'Size of the disk of DATA_DIR.',
    samples: ({ readings }) => one(readings.disk.size),
  },
  {
    name: 'disk_reserve_bytes',
    type: 'gauge',
    help: 'Room that acknowledged events need: events are refused when less is free.',
    samples: ({ readings }) => one(readings.disk.needed),
  },
  {
    name: 'disk_reserve_reached',
    type: 'gauge',
    help: '1 while events are refused because of the disk, else 0.',
    samples: ({ readings }) => one(readings.disk.isReached ? 1 : 0),
  },
  {
    name: 'backup_age_seconds',
    type: 'gauge',
    help: 'Time since the newest copy by footfall backup; no sample before the first one.',
    samples: ({ readings: { backup_age_seconds: age } }) => (age === null ? [] : one(age)),
  },
  {
    name: 'memory_resident_bytes',
    type: 'gauge',
    help: 'Memory of the process of the service, without that of compaction.',
    samples: () => one(process.memoryUsage.rss()),
  },
  {
    name: 'memory_heap_bytes',
    type: 'gauge',
    help: 'JavaScript objects of the main thread.',
    samples: () => one(process.memoryUsage().heapUsed),
  },
  {
    name: 'machine_memory_available_bytes',
    type: 'gauge',
    help: 'Memory of the machine that programs may still take.',
    samples: () => one(freemem()),
  },
  {
    name: 'machine_memory_bytes',
    type: 'gauge',
    help: 'Memory of the machine.',
    samples: () => one(totalmem()),
  },
  {
    name: 'records_total',
    type: 'counter',
    help: 'Events and identify requests that were acknowledged.',
    samples: ({ counters }) => one(counters.records()),
  },
  {
    name: 'refused_events_total',
    type: 'counter',
    help: 'Events of projects that were not stored, by reason.',
    samples: ({ counters }) =>
      (Object.keys(REFUSAL_REASONS) as RefusalReason[]).map(reason => ({
        labels: { reason },
        value: counters.refused(reason),
      })),
  },
  {
    name: 'answers_total',
    type: 'counter',
    help: 'Answers by function and class of status. Requests that no function got are not among them.',
    samples: ({ counters }) =>
      counters
        .answers()
        .map(({ function: name, status, count }) => ({ labels: { function: name, status }, value: count })),
  },
  {
    name: 'read_seconds',
    type: 'summary',
    help: 'Time of reads by report, seconds; the quantiles are of its newest 1,000 reads.',
    samples: ({ counters }) => counters.reads().flatMap(([report, reads]) => summaryOf(report, reads)),
  },
  {
    name: 'log_lines_total',
    type: 'counter',
    help: 'Lines of the log by code.',
    samples: ({ counters }) =>
      (Object.keys(logCodes) as LogCode[]).map(code => ({ labels: { code }, value: counters.lines(code) })),
  },
]

/**
 * All metrics with their numbers. Labels have values of our own tables only (reasons, codes, functions,
 * reports), so the number of series is bounded, whatever strangers send.
 */
export function toMetrics(sources: MetricSources): Metric[] {
  return definitions.map(({ name, type, help, samples }) => ({
    name: `footfall_${name}`,
    type,
    help,
    samples: samples(sources),
  }))
}

function one(value: number): readonly Sample[] {
  return [{ value }]
}

function summaryOf(report: string, { count, sum, seconds }: Reads): Sample[] {
  const sorted = seconds.toSorted()
  return [
    ...QUANTILES.map(quantile => ({
      labels: { report, quantile: String(quantile) },
      value: quantileOf(sorted, quantile),
    })),
    { labels: { report }, suffix: '_sum' as const, value: sum },
    { labels: { report }, suffix: '_count' as const, value: count },
  ]
}

/** The smallest value that at least this share of the values does not exceed. */
function quantileOf(sorted: Float32Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
