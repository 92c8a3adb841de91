import type { TableName } from '#schemas/columns'
import { type HiveColumn, type HivePartition, hiveTable } from '#schemas/hive-tables'

/** Trino's names of the types of Hive. Timestamps of a Hive table have milliseconds. */
const TYPES = { string: 'varchar', bigint: 'bigint', timestamp: 'timestamp(3)', date: 'date' } as const

/** A sample lake has fewer epochs, and Trino plans this many quickly. */
const LAST_EPOCH = 1_000

/**
 * The statement that creates a table of the lake on Trino: an external table over the files below `location`,
 * e.g.
 * `local:///seed-1`. The values of partitions come from projection, as on Athena.
 */
export function createTable(schema: string, name: TableName, location: string): string {
  const { prefix, columns, partitions } = hiveTable(name, LAST_EPOCH)
  const template = partitions.map(partition => `${partition.name}=\${${partition.name}}/`).join('')
  const properties = {
    external_location: text(`${location}/${prefix}`),
    format: text('PARQUET'),
    partitioned_by: list(partitions.map(partition => partition.name)),
    partition_projection_enabled: 'true',
    partition_projection_location_template: text(`${location}/${prefix}/${template}`),
  }
  // Trino requires the partitions to be the last columns.
  return `CREATE TABLE lake.${schema}.${name} (
    ${[...columns.map(column), ...partitions.map(partition)].join(',\n    ')}
  ) WITH (${assignments(properties)})`
}

function column({ name, type }: HiveColumn): string {
  return `"${name}" ${TYPES[type]}`
}

function partition({ projection, ...rest }: HivePartition): string {
  const properties = {
    partition_projection_type: text(projection.type.toUpperCase()),
    partition_projection_range: list(projection.range.map(String)),
  }
  return `${column(rest)} WITH (${assignments(properties)})`
}

function assignments(properties: Record<string, string>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')
}

function list(values: readonly string[]): string {
  return `ARRAY[${values.map(text).join(', ')}]`
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
