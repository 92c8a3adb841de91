import { BUCKETS, type Column, type Partition, type TableName, tables } from './columns.ts'

/**
 * The lake's tables as a Hive catalog describes them. The Glue tables of Athena use them, and the tables of
 * the Trino server that checks the statements.
 */

export type HiveColumn = { name: string; type: 'string' | 'bigint' | 'timestamp' | 'date'; comment: string }

/**
 * Partition projection: the possible values of a partition, so that the catalog needs no list of partitions.
 * Both bounds are inclusive. Trino visits the whole range at each scan, although each statement names the
 * values that it reads: 1,000,000 values cost seconds of planning.
 */
export type Projection = { type: 'integer'; range: readonly [number, number] }

export type HivePartition = HiveColumn & { projection: Projection }

export type HiveTable = {
  name: TableName
  /** The first part of the keys, without slashes. The partitions follow as `name=value`. */
  prefix: string
  columns: HiveColumn[]
  partitions: HivePartition[]
}

/**
 * How many epochs the catalog on AWS knows: two years of epochs of an hour. Trino visits them all at each
 * scan of hot files, about 10 µs each, so a wide range would slow every read. The option firstEpoch moves the
 * range. Before its last epoch comes, an alarm says so (lib/alarms.ts, LastEpoch).
 */
export const CATALOG_EPOCHS = 20_000

const COLUMN_TYPES = { string: 'string', int64: 'bigint', timestamp: 'timestamp', date: 'date' } as const
const BUCKET_RANGE = [0, BUCKETS - 1] as const

/**
 * Describes a table. Statements can read only the epochs from `firstEpoch` to `lastEpoch`; others seem empty.
 */
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
      type: COLUMN_TYPES[type],
      comment: `part of the key, ${name}=…`,
      projection: { type: 'integer', range: name === 'epoch' ? [firstEpoch, lastEpoch] : BUCKET_RANGE },
    })),
  }
}
