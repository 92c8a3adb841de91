import { BUCKETS, type Column, type Partition, type TableName, tables } from './columns.ts'

/**
 * The lake's tables as a Hive catalog describes them: what the Glue tables that Athena reads are made of, and the
 * tables of the Trino server that the statements are checked on.
 */

export type HiveColumn = { name: string; type: 'string' | 'bigint' | 'timestamp' | 'date'; comment: string }

/**
 * How an engine knows the values of a partition without a list of them. Both bounds are inclusive. Every statement says
 * which of them it reads, but Trino walks the whole range at each scan: 1,000,000 values cost seconds of planning.
 */
export type Projection =
  | { type: 'integer'; range: readonly [number, number] }
  | { type: 'date'; range: readonly [string, string]; format: 'yyyy-MM-dd' }

export type HivePartition = HiveColumn & { projection: Projection }

export type HiveTable = {
  name: TableName
  /** Key prefix in the lake, without slashes at its ends; partitions follow as `name=value`. */
  prefix: string
  columns: HiveColumn[]
  partitions: HivePartition[]
}

/**
 * The lowest and the highest epoch that the catalog on AWS knows: 11 years of epochs of an hour. Trino walks them all at
 * each scan, about 10 µs each, and a statement scans two tables by epoch, so a wide range would cost every read. An
 * alarm says before the end that they must be raised (lib/alarms.ts, LastEpoch), both by the same: hot and warm, the tables
 * with this partition, hold the epochs from the cold watermark on, and FIRST_EPOCH must not be above that
 * (docs/operations.md, LastEpoch, tells how). A deployment does it.
 */
export const FIRST_EPOCH = 1
export const LAST_EPOCH = 100_000

const COLUMN_TYPES = { string: 'string', int64: 'bigint', timestamp: 'timestamp' } as const
const PARTITION_TYPES = { int64: 'bigint', date: 'date' } as const

const PROJECTIONS: Record<Exclude<Partition['name'], 'epoch'>, Projection> = {
  bucket: { type: 'integer', range: [0, BUCKETS - 1] },
  date: { type: 'date', range: ['2020-01-01', '2089-12-31'], format: 'yyyy-MM-dd' },
}

/** From `firstEpoch` to `lastEpoch`: the epochs that statements may read; others would be passed over in silence. */
export function hiveTable(name: TableName, lastEpoch: number, firstEpoch = 1): HiveTable {
  const { prefix, partitions, columns } = tables[name]
  return {
    name,
    prefix,
    columns: columns.map(({ name, type, meaning }: Column) => ({
      name,
      type: COLUMN_TYPES[type],
      comment: meaning,
    })),
    partitions: partitions.map(({ name, type }: Partition) => ({
      name,
      type: PARTITION_TYPES[type],
      comment: `part of the key, ${name}=…`,
      projection: name === 'epoch' ? { type: 'integer', range: [firstEpoch, lastEpoch] } : PROJECTIONS[name],
    })),
  }
}
