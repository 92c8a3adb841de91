import type { Quantity } from './charge.ts'
import { ingestQuantities, requests, shardsNeeded } from './ingest.ts'
import { lakeQuantities } from './lake.ts'
import { type LakeFigures, lakeFigures } from './lake-figures.ts'
import { liveQuantities } from './live.ts'
import { monthlyCost } from './model.ts'
import { segmentBytesPerEvent } from './segments.ts'
import { system } from './system.ts'
import { amount, dollars, table } from './table.ts'
import { type Usage, usage } from './usage.ts'

/**
 * The load of each part at several sizes, beside the limit of AWS or of the service that it meets
 * (docs/scale.md).
 */

const SECONDS = system.hoursPerMonth * 3_600
const TB = 1e12
/** Epochs that the catalog knows, from the option `firstEpoch` on (schemas/hive-tables.ts). */
const CATALOG_EPOCHS = 20_000

/** Browsers of ten to ten thousand sites, with reads that grow with the sites. */
export const sizes = {
  '100M': usage({ events: 100e6, projects: 10, reads: 30e3 }),
  '1B': usage({ events: 1e9, projects: 100, accounts: 10, reads: 100e3 }),
  '10B': usage({ events: 10e9, projects: 1_000, accounts: 100, reads: 300e3 }),
  '100B': usage({ events: 100e9, projects: 10_000, accounts: 1_000, reads: 1e6 }),
} as const satisfies Record<string, Usage>

type Size = { usage: Usage; figures: LakeFigures; quantities: readonly Quantity[] }
/** `most`: the limit as a number. Values above it are bold. */
type Row = { name: string; limit: string; most?: number; value(size: Size): number }

const rows: readonly Row[] = [
  {
    name: 'requests a second at the peak',
    limit: '10,000 of the account (API Gateway)',
    most: 10_000,
    value: peakRequests,
  },
  {
    name: 'executions of `track` at the peak',
    limit: '1,000 of the account (Lambda)',
    most: 1_000,
    value: size => (peakRequests(size) * system.functionMs.track.call) / 1_000,
  },
  {
    name: 'shards',
    limit: '500 of the account (Kinesis; 200 in some regions)',
    most: 500,
    value: ({ usage }) => shardsNeeded(usage),
  },
  {
    name: 'writes of the state table a second',
    limit: '40,000 of a table (DynamoDB)',
    most: 40_000,
    value: ({ quantities }) => sum(quantities, ({ price }) => price === 'stateWrite') / SECONDS,
  },
  {
    name: 'hot files a minute',
    limit: `${system.lake.epochFiles.toLocaleString('en-US')} in an epoch, then it closes`,
    value: ({ figures }) => figures.claims / system.minutesPerMonth,
  },
  {
    name: 'minutes of an epoch',
    limit: '1: maintenance closes at most one a minute',
    value: ({ figures }) => system.minutesPerMonth / figures.epochs,
  },
  {
    name: 'MB of an epoch',
    limit: `${Math.round(system.lake.epochBytes / 1e6)}, then it closes`,
    value: ({ usage, figures }) => (usage.events * system.lake.hotBytes) / figures.epochs / 1e6,
  },
  {
    name: 'days until `firstEpoch` moves',
    limit: 'the catalog has 20,000 epochs',
    value: ({ figures }) => (CATALOG_EPOCHS / figures.epochs) * system.daysPerMonth,
  },
  {
    name: 'workers that are busy all the time',
    limit: '4 (`jobConcurrency`)',
    most: 4,
    value: ({ quantities }) => {
      const ofWorkers = ({ price, purpose }: Quantity) =>
        price === 'lambdaArmSecond' && (purpose === 'compaction' || purpose === 'merges')
      return sum(quantities, ofWorkers) / (system.functions.jobs.memoryMb / 1_024) / SECONDS
    },
  },
  {
    name: 'KB of the manifest of a bucket, with its pages',
    limit: 'none: an object of the lake (S3), in pages',
    most: Number.POSITIVE_INFINITY,
    value: ({ figures }) => figures.manifestBytes / 1e3,
  },
  {
    name: 'Athena statements a second at the peak of reads',
    limit: '20 starts of the account (Athena)',
    most: 20,
    value: ({ usage }) => (usage.reads * system.stats.statements * usage.peak) / SECONDS,
  },
  {
    name: 'TB of segments after a year',
    limit: 'none (S3)',
    value: ({ usage }) => (usage.events * usage.months * segmentBytesPerEvent) / TB,
  },
]

/** The table of docs/scale.md. */
export function scaleTable(): string {
  const all = Object.values(sizes).map(
    (size): Size => ({
      usage: size,
      figures: lakeFigures(size),
      quantities: [...ingestQuantities(size), ...liveQuantities(size), ...lakeQuantities(size)],
    }),
  )
  const columns = all.map((_, i) => i + 1)
  return table(
    ['at events a month', ...Object.keys(sizes), 'limit without a request to AWS'],
    [
      ...rows.map(({ name, limit, most = Number.POSITIVE_INFINITY, value }) => {
        const cells = all.map(value).map(load => (load > most ? `**${amount(load)}**` : amount(load)))
        return [name, ...cells, limit]
      }),
      ['USD a month', ...all.map(({ usage }) => dollars(monthlyCost(usage).total)), ''],
    ],
    columns,
  )
}

function peakRequests({ usage }: Size): number {
  return (requests(usage) / SECONDS) * usage.peak
}

function sum(quantities: readonly Quantity[], isWanted: (quantity: Quantity) => boolean): number {
  return quantities.filter(isWanted).reduce((total, { quantity }) => total + quantity, 0)
}
