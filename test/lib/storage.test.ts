import { expect, test } from 'vitest'
import { tables } from '#schemas/columns'
import { FIRST_EPOCH, hiveTable, LAST_EPOCH } from '#schemas/hive-tables'
import { synthesize } from './synthesized.ts'

/** Where data lies, and what becomes of it. */

const plain = synthesize()

test('data outlives the stack: bucket, table and stream, and nothing else', () => {
  const kept = Object.values(plain.template.Resources).filter(({ DeletionPolicy }) =>
    DeletionPolicy?.startsWith('Retain'),
  )
  const policies = Object.fromEntries(kept.map(({ Type, DeletionPolicy }) => [Type, DeletionPolicy]))
  expect(kept).toHaveLength(3)
  expect(policies).toEqual({
    // Its protection would stop the rollback of a first deployment that fails.
    'AWS::DynamoDB::Table': 'Retain',
    // Deleted by that rollback alone: each try would leave a stream that costs $11 a month.
    'AWS::Kinesis::Stream': 'RetainExceptOnCreate',
    'AWS::S3::Bucket': 'RetainExceptOnCreate',
  })
  for (const { UpdateReplacePolicy } of kept) expect(UpdateReplacePolicy).toBe('Retain')
})

test('the state table can be had back as it was at any second, and is not deleted by accident', () => {
  expect(plain.only('AWS::DynamoDB::Table').Properties).toMatchObject({
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    DeletionProtectionEnabled: true,
    BillingMode: 'PAY_PER_REQUEST',
    TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  })
  expect(plain.only('AWS::DynamoDB::Table').Properties).not.toHaveProperty('GlobalSecondaryIndexes')
})

test('the bucket is private, encrypted and versioned', () => {
  expect(plain.only('AWS::S3::Bucket').Properties).toMatchObject({
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
    },
    VersioningConfiguration: { Status: 'Enabled' },
  })
})

type Rule = { Id: string; Prefix?: string; ExpirationInDays?: number; NoncurrentVersionExpiration?: unknown }

test('lifecycle deletes results, what was put aside and old versions, and never an event of the lake', () => {
  const { Rules } = plain.only('AWS::S3::Bucket').Properties.LifecycleConfiguration as { Rules: Rule[] }
  const expiring = Rules.filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)
  expect(expiring.map(({ Prefix, ExpirationInDays }) => [Prefix, ExpirationInDays])).toEqual([
    ['athena-results/', 1],
    ['quarantine/', 400],
    ['aws/lambda/', 400],
  ])
  const prefixes = Object.values(tables).map(({ prefix }) => `${prefix}/`)
  for (const { Prefix } of expiring) expect(prefixes).not.toContain(Prefix)
  expect(
    Rules.find(({ Prefix, NoncurrentVersionExpiration }) => !Prefix && NoncurrentVersionExpiration),
  ).toBeDefined()
})

test('the stream is encrypted; one shard for a day costs least and is the default', () => {
  expect(plain.only('AWS::Kinesis::Stream').Properties).toEqual({
    RetentionPeriodHours: 24,
    ShardCount: 1,
    StreamModeDetails: { StreamMode: 'PROVISIONED' },
    StreamEncryption: { EncryptionType: 'KMS', KeyId: 'alias/aws/kinesis' },
  })
})

test('all queues are encrypted and keep messages as long as SQS does', () => {
  expect(plain.all('AWS::SQS::Queue')).toHaveLength(4)
  for (const [, { Properties }] of plain.all('AWS::SQS::Queue')) {
    expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 })
  }
})

test('Athena cancels statements that read too much, and whoever starts one cannot choose otherwise', () => {
  const workgroup = plain.only('AWS::Athena::WorkGroup').Properties
  expect(workgroup).toMatchObject({
    Name: 'footfall',
    WorkGroupConfiguration: {
      EnforceWorkGroupConfiguration: true,
      BytesScannedCutoffPerQuery: 50e9,
      EngineVersion: { SelectedEngineVersion: 'Athena engine version 3' },
      ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_S3' } },
    },
  })
  expect(JSON.stringify(workgroup)).toContain('/athena-results/')
})

test('every table of the lake is in the catalog, with its columns, and partitions by projection', () => {
  const inputs = plain
    .all('AWS::Glue::Table')
    .map(([, { Properties }]) => Properties.TableInput as TableInput)
  expect(inputs.map(({ Name }) => Name).toSorted()).toEqual(Object.keys(tables).toSorted())
  for (const { Name, StorageDescriptor, PartitionKeys, Parameters } of inputs) {
    const { columns, partitions, prefix } = hiveTable(Name, LAST_EPOCH, FIRST_EPOCH)
    expect(StorageDescriptor.Columns.map(({ Name, Type }) => [Name, Type])).toEqual(
      columns.map(({ name, type }) => [name, type]),
    )
    expect(PartitionKeys.map(({ Name }) => Name)).toEqual(partitions.map(({ name }) => name))
    const { 'storage.location.template': template, ...projection } = Parameters
    const path = partitions.map(({ name }) => `${name}=\${${name}}/`).join('')
    expect(JSON.stringify(template)).toContain(`/${prefix}/${path}"`)
    expect(projection).toMatchObject({ 'projection.enabled': 'true' })
    for (const { name } of partitions) expect(projection).toHaveProperty([`projection.${name}.range`])
  }
})

test('the catalog knows a window of epochs, which moves as a whole: its width is planning time of every read', () => {
  expect(LAST_EPOCH - FIRST_EPOCH).toBeGreaterThan(0)
  expect(LAST_EPOCH - FIRST_EPOCH).toBeLessThan(100_000)
  const ranges = plain.all('AWS::Glue::Table').flatMap(([, { Properties }]) => {
    const { Parameters } = Properties.TableInput as TableInput
    return Parameters['projection.epoch.range'] ?? []
  })
  const window = `${FIRST_EPOCH},${LAST_EPOCH}`
  expect(ranges).toEqual([window, window])
  const { partitions } = hiveTable('events_hot', 190_000, 90_001)
  expect(partitions.map(({ projection }) => projection.range)).toEqual([[90_001, 190_000]])
})

type TableInput = {
  Name: keyof typeof tables
  StorageDescriptor: { Columns: { Name: string; Type: string }[] }
  PartitionKeys: { Name: string }[]
  Parameters: Record<string, unknown>
}
