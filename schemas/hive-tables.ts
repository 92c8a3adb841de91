import { BUCKETS, type Column, type Partition, type TableName, tables } from './columns.ts'

/**
 * The lake's tables as a Hive catalog describes them. The Glue tables of Athena use them, and the tables of the Trino
 * server that checks the statements.
 */

export type HiveColumn = { name: string; type: 'string' | 'bigint' | 'timestamp' | 'date'; comment: string }

/**
 * Partition projection: the possible values of a partition, so that the catalog needs no list of partitions. Both bounds
 * are inclusive. Trino visits the whole range at each scan, although each statement names the values that it reads:
 * 1,000,000 values cost seconds of planning.
 */
export type Projection =
  | { type: 'integer'; range: readonly [number, number] }
  | { type: 'date'; range: readonly [string, string]; format: 'yyyy-MM-dd' }

export type HivePartition = HiveColumn & { projection: Projection }

export type HiveTable = {
  name: TableName
  /** The first part of the keys, without slashes. The partitions follow as `name=value`. */
  prefix: string
  columns: HiveColumn[]
  partitions: HivePartition[]
}

/**
 * The lowest and the highest epoch that the catalog on AWS knows: 11 years of epochs of an hour. Trino visits them all at
 * each scan, about 10 µs each, and a statement scans two tables by epoch. So a wide range would slow every read. Before
 * the last epoch comes, an alarm says that both must be raised by the same number (lib/alarms.ts, LastEpoch). FIRST_EPOCH
 * must not be above the cold watermark, because the hot and warm tables have this partition. docs/operations.md says how.
 */
export const FIRST_EPOCH = 1
export const LAST_EPOCH = 100_000

const COLUMN_TYPES = { string: 'string', int64: 'bigint', timestamp: 'timestamp' } as const
const PARTITION_TYPES = { int64: 'bigint', date: 'date' } as const

const PROJECTIONS: Record<Exclude<Partition['name'], 'epoch'>, Projection> = {
  bucket: { type: 'integer', range: [0, BUCKETS - 1] },
  date: { type: 'date', range: ['2020-01-01', '2089-12-31'], format: 'yyyy-MM-dd' },
}

/** Describes a table. Statements can read only the epochs from `firstEpoch` to `lastEpoch`; others seem empty. */
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
