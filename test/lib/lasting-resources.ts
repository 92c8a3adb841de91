import type { Synthesized } from './synthesized.ts'

/**
 * What an update of a stack must not replace, with the properties whose change makes CloudFormation replace
 * it (the pages of the resource types in its user guide, November 2026): data, addresses that others know
 * written down, and confirmed subscriptions.
 */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  'AWS::S3::Bucket': ['BucketName', 'BucketNamePrefix', 'BucketNamespace'],
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'],
  'AWS::Kinesis::Stream': ['Name'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::SNS::Topic': ['TopicName', 'FifoTopic'],
  'AWS::SNS::Subscription': ['Endpoint', 'Protocol', 'TopicArn'],
  'AWS::Logs::LogGroup': ['LogGroupName', 'LogGroupClass'],
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
  'AWS::Glue::Database': ['CatalogId', 'DatabaseInput.Name'],
  'AWS::Glue::Table': ['CatalogId', 'DatabaseName', 'TableInput.Name'],
  'AWS::Athena::WorkGroup': ['Name'],
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  // They are never replaced, unless their logical ids change.
  'AWS::CloudFront::Distribution': [],
}

/** Each lasting resource by its logical id: its type, and its fixed properties that are set. */
export type LastingResources = Record<string, { type: string; fixed: Record<string, unknown> }>

export function lastingResources({ template }: Pick<Synthesized, 'template'>): LastingResources {
  const found = Object.entries(template.Resources).flatMap(([id, { Type, Properties = {} }]) => {
    const names = FIXED[Type]
    if (names === undefined) return []
    const values = names.map(name => [name, valueAt(Properties, name)] as const)
    return [
      [id, { type: Type, fixed: Object.fromEntries(values.filter(([, value]) => value !== undefined)) }],
    ]
  })
  return Object.fromEntries(found.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}

function valueAt(properties: Record<string, unknown>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], properties)
}
