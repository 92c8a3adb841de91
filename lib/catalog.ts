import { createHash } from 'node:crypto'
import { Stack } from 'aws-cdk-lib'
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena'
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { type TableName, tables } from '#schemas/columns'
import { CATALOG_EPOCHS, type HivePartition, hiveTable } from '#schemas/hive-tables'

export type CatalogProps = {
  bucket: Bucket
  /**
   * The lowest of the CATALOG_EPOCHS epochs that statements can read. It must not be above the watermark of
   * any bucket.
   */
  firstEpoch: number
  /** Athena cancels a statement that reads more than this, GB. */
  maxScanGb: number
  /** Encrypts the results that Athena keeps; undefined: a key of AWS does. */
  keyArn: string | undefined
}

/** The lake in Athena: a Glue database with its tables, and the workgroup for reports. */
export class Catalog extends Construct {
  /**
   * Name of the database and the workgroup. It comes from the stack's name, so several stacks fit in one
   * account.
   */
  readonly name: string
  /** No statement reads identify requests. */
  readonly tables = (Object.keys(tables) as TableName[]).filter(name => name !== 'identity_hot')

  constructor(scope: Construct, id: string, { bucket, firstEpoch, maxScanGb, keyArn }: CatalogProps) {
    super(scope, id)
    this.name = catalogName(Stack.of(this).stackName)
    const catalogId = Stack.of(this).account
    const database = new CfnDatabase(this, 'Database', { catalogId, databaseInput: { name: this.name } })
    for (const name of this.tables) {
      const tableInput = glueTable(name, bucket.bucketName, firstEpoch)
      new CfnTable(this, name, { catalogId, databaseName: this.name, tableInput }).addResourceDependency(
        database,
      )
    }
    new CfnWorkGroup(this, 'Workgroup', {
      name: this.name,
      description: 'Reports of Footfall',
      // Deletes the workgroup with its history of statements, which nobody needs afterwards.
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        publishCloudWatchMetricsEnabled: true,
        engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
        bytesScannedCutoffPerQuery: maxScanGb * 1e9,
        // Athena keeps the results of a statement for a day, encrypted. In the S3 bucket, each would cost two
        // PUTs and two GETs.
        managedQueryResultsConfiguration: {
          enabled: true,
          ...(keyArn !== undefined && { encryptionConfiguration: { kmsKey: keyArn } }),
        },
      },
    })
  }
}

/**
 * The name of the database and the workgroup of a stack. Glue keeps names in lower case, and CloudFormation
 * tells `A-b` from `a-B`. So only names whose words begin with a capital letter, such as `Footfall-Staging`,
 * become their lower case; others have a part of their hash too.
 */
export function catalogName(stackName: string): string {
  const name = stackName.toLowerCase().replaceAll('-', '_')
  if (/^[A-Z][a-z0-9]*(-([A-Z][a-z0-9]*|[0-9]+))*$/.test(stackName)) return name
  return `${name}_${createHash('sha256').update(stackName).digest('hex').slice(0, 8)}`
}

/**
 * The Glue definition of a table. Partitions are projected: Athena computes their names, so nobody registers
 * them.
 */
function glueTable(name: TableName, bucket: string, firstEpoch: number): CfnTable.TableInputProperty {
  const { prefix, columns, partitions } = hiveTable(name, firstEpoch + CATALOG_EPOCHS - 1, firstEpoch)
  const location = `s3://${bucket}/${prefix}/`
  // Athena requires the slash at the end
  // (docs.aws.amazon.com/athena/latest/ug/partition-projection-setting-up.html).
  const template = partitions.map(partition => `${partition.name}=\${${partition.name}}/`).join('')
  return {
    name,
    tableType: 'EXTERNAL_TABLE',
    parameters: {
      classification: 'parquet',
      'projection.enabled': 'true',
      ...Object.assign({}, ...partitions.map(projectionParameters)),
      'storage.location.template': `${location}${template}`,
    },
    partitionKeys: partitions.map(({ name, type, comment }) => ({ name, type, comment })),
    storageDescriptor: {
      location,
      columns,
      inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
      serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
    },
  }
}

function projectionParameters({ name, projection }: HivePartition): Record<string, string> {
  return {
    [`projection.${name}.type`]: projection.type,
    [`projection.${name}.range`]: projection.range.join(','),
  }
}
