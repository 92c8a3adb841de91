import { expect, test } from 'vitest'
import { tables } from '#schemas/columns'
import { CATALOG_EPOCHS, hiveTable } from '#schemas/hive-tables'
import { synthesize } from './synthesized.ts'

/** The resources that hold data: how long they live, how they are protected and what deletes data. */

const plain = synthesize()

test('the access logs of the bucket go to the bucket of the option, and nowhere without it', () => {
  const logging = (context: Record<string, unknown>) =>
    synthesize(context).only('AWS::S3::Bucket').Properties.LoggingConfiguration
  expect(logging({})).toBeUndefined()
  expect(logging({ accessLogBucketArn: 'arn:aws:s3:::audit-logs', stackName: 'Analytics' })).toEqual({
    DestinationBucketName: 'audit-logs',
    LogFilePrefix: 'Analytics/',
  })
})

test('only the S3 bucket, the table, the stream and the key of the e-mail index outlive the stack', () => {
  const retainedResources = Object.values(plain.template.Resources).filter(({ DeletionPolicy }) =>
    DeletionPolicy?.startsWith('Retain'),
  )
  const policies = Object.fromEntries(
    retainedResources.map(({ Type, DeletionPolicy }) => [Type, DeletionPolicy]),
  )
  expect(retainedResources).toHaveLength(4)
  expect(policies).toEqual({
    // Deletion protection of the table would make the rollback of a failed first deployment fail.
    'AWS::DynamoDB::Table': 'Retain',
    // Only that rollback deletes these. Otherwise each failed try would leave a stream that costs $11 a
    // month.
    'AWS::Kinesis::Stream': 'RetainExceptOnCreate',
    'AWS::S3::Bucket': 'RetainExceptOnCreate',
    'AWS::SecretsManager::Secret': 'RetainExceptOnCreate',
  })
  for (const { UpdateReplacePolicy } of retainedResources) expect(UpdateReplacePolicy).toBe('Retain')
})

test('the state table has point-in-time recovery and deletion protection', () => {
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

test('the S3 bucket is private, encrypted and versioned', () => {
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

type Rule = {
  Id: string
  Prefix?: string
  ExpirationInDays?: number
  NoncurrentVersionExpiration?: { NoncurrentDays: number }
}

test('lifecycle rules delete quarantined data and old versions, but no current file of the lake', () => {
  const { Rules } = plain.only('AWS::S3::Bucket').Properties.LifecycleConfiguration as { Rules: Rule[] }
  const expiring = Rules.filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)
  expect(expiring.map(({ Prefix, ExpirationInDays }) => [Prefix, ExpirationInDays])).toEqual([
    ['replays/', 31],
    ['exports/', 8],
    ['quarantine/', 30],
    ['waiting/', 30],
    ['aws/lambda/', 30],
  ])
  const prefixes = Object.values(tables).map(({ prefix }) => `${prefix}/`)
  for (const { Prefix } of expiring) expect(prefixes).not.toContain(Prefix)
  const versionDays = Rules.flatMap(({ Prefix, NoncurrentVersionExpiration }) =>
    NoncurrentVersionExpiration === undefined ? [] : [[Prefix, NoncurrentVersionExpiration.NoncurrentDays]],
  )
  expect(versionDays).toEqual([
    [undefined, 14],
    ['hot/', 1],
    ['hot-identity/', 1],
    ['links/', 1],
    ['traits/', 1],
    ['replays/', 1],
    ['exports/', 1],
  ])
})

test('the default stream is encrypted and has the lowest price: one shard, 24 hours', () => {
  expect(plain.only('AWS::Kinesis::Stream').Properties).toEqual({
    RetentionPeriodHours: 24,
    ShardCount: 1,
    StreamModeDetails: { StreamMode: 'PROVISIONED' },
    StreamEncryption: { EncryptionType: 'KMS', KeyId: 'alias/aws/kinesis' },
  })
})

test('all queues are encrypted and keep messages for 14 days, the limit of SQS', () => {
  expect(plain.all('AWS::SQS::Queue')).toHaveLength(3)
  for (const [, { Properties }] of plain.all('AWS::SQS::Queue')) {
    expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 })
  }
})

test('Athena cancels statements that read too much and keeps their results itself, and a caller cannot override that', () => {
  const workgroup = plain.only('AWS::Athena::WorkGroup').Properties
  expect(workgroup).toMatchObject({
    Name: 'footfall',
    WorkGroupConfiguration: {
      EnforceWorkGroupConfiguration: true,
      BytesScannedCutoffPerQuery: 50e9,
      EngineVersion: { SelectedEngineVersion: 'Athena engine version 3' },
      ManagedQueryResultsConfiguration: { Enabled: true },
    },
  })
})

test('every table of the lake is in the catalog, with its columns and projected partitions', () => {
  const inputs = plain
    .all('AWS::Glue::Table')
    .map(([, { Properties }]) => Properties.TableInput as TableInput)
  const read = Object.keys(tables).filter(name => name !== 'identity_hot')
  expect(inputs.map(({ Name }) => Name).toSorted()).toEqual(read.toSorted())
  for (const { Name, StorageDescriptor, PartitionKeys, Parameters } of inputs) {
    const { columns, partitions, prefix } = hiveTable(Name, CATALOG_EPOCHS)
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

test('the catalog has at most 20,000 epochs, because each one adds planning time to every read', () => {
  const epochsOf = ({ all }: typeof plain) =>
    all('AWS::Glue::Table').flatMap(([, { Properties }]) => {
      const { Parameters } = Properties.TableInput as TableInput
      return Parameters['projection.epoch.range'] ?? []
    })
  expect(epochsOf(plain)).toEqual(['1,20000'])
  expect(epochsOf(synthesize({ firstEpoch: 18_001 }))).toEqual(['18001,38000'])
  const { partitions } = hiveTable('events_hot', 190_000, 90_001)
  expect(partitions.map(({ projection }) => projection.range)).toEqual([[90_001, 190_000]])
})

type TableInput = {
  Name: keyof typeof tables
  StorageDescriptor: { Columns: { Name: string; Type: string }[] }
  PartitionKeys: { Name: string }[]
  Parameters: Record<string, unknown>
}
