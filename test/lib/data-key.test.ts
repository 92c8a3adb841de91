import { AwsSolutionsChecks } from 'cdk-nag'
import { expect, test } from 'vitest'
import { readConfig } from '#lib/config'
import { findRegionProblems } from '#lib/regions'
import { type Resource, synthesize } from './synthesized.ts'

/** The option keyArn: everything that the stack keeps is under the deployer's key. */

const keyArn = 'arn:aws:kms:eu-west-1:123456789012:key/1f0a'
const replicaKeyArn = 'arn:aws:kms:eu-central-1:123456789012:key/2f0b'
const replicaBucketArn = 'arn:aws:s3:::copies'
const everything = { alarmEmail: 'ops@example.com', backupDays: 35, replicaBucketArn }
const plain = synthesize(everything)
const own = synthesize({ ...everything, keyArn, replicaKeyArn })

/** Where each type of resource that keeps something names its key. A new type must get a line here. */
const KEYS: Record<string, (properties: Resource['Properties']) => unknown> = {
  'AWS::S3::Bucket': ({ BucketEncryption }) =>
    (BucketEncryption as { ServerSideEncryptionConfiguration: { ServerSideEncryptionByDefault: Key }[] })
      .ServerSideEncryptionConfiguration[0]?.ServerSideEncryptionByDefault.KMSMasterKeyID,
  'AWS::DynamoDB::Table': ({ SSESpecification }) =>
    (SSESpecification as { KMSMasterKeyId?: string }).KMSMasterKeyId,
  'AWS::Kinesis::Stream': ({ StreamEncryption }) => (StreamEncryption as { KeyId: string }).KeyId,
  'AWS::SQS::Queue': ({ KmsMasterKeyId }) => KmsMasterKeyId,
  'AWS::SNS::Topic': ({ KmsMasterKeyId }) => KmsMasterKeyId,
  'AWS::Logs::LogGroup': ({ KmsKeyId }) => KmsKeyId,
  'AWS::SecretsManager::Secret': ({ KmsKeyId }) => KmsKeyId,
  'AWS::Backup::BackupVault': ({ EncryptionKeyArn }) => EncryptionKeyArn,
  'AWS::Athena::WorkGroup': ({ WorkGroupConfiguration }) =>
    (
      WorkGroupConfiguration as {
        ManagedQueryResultsConfiguration: { EncryptionConfiguration?: { KmsKey: string } }
      }
    ).ManagedQueryResultsConfiguration.EncryptionConfiguration?.KmsKey,
}
type Key = { KMSMasterKeyID?: string }

/** Types that keep no data of the service. */
const KEEP_NOTHING =
  /^AWS::(ApiGatewayV2|ApplicationAutoScaling|CloudFront|CloudWatch|Glue|IAM|Lambda|Scheduler|CDK)::|^AWS::(Backup::Backup(Plan|Selection)|Logs::MetricFilter|S3::BucketPolicy|SNS::(Subscription|TopicPolicy)|SQS::QueuePolicy|Events::Rule)$|^Custom::/

test('with keyArn all resources that keep something are encrypted with that key', () => {
  for (const [id, { Type, Properties }] of Object.entries(own.template.Resources)) {
    if (KEEP_NOTHING.test(Type)) continue
    expect(KEYS[Type], `${Type}: name its key in KEYS`).toBeDefined()
    expect(KEYS[Type]?.(Properties), id).toBe(keyArn)
  }
})

test('without keyArn no resource and no right names a key', () => {
  expect(JSON.stringify(plain.template)).not.toMatch(/kms:|arn:aws:kms/)
})

type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown }

test('roles may use the key through the services that encrypt for them only, and those without data not at all', () => {
  const uses = own.all('AWS::IAM::Policy').flatMap(([id, { Properties }]) => {
    const { Statement } = Properties.PolicyDocument as { Statement: Statement[] }
    const ofKey = Statement.filter(({ Action }) => [Action].flat().some(name => name.startsWith('kms:')))
    // S3 itself has the role that copies files.
    if (id.includes('ReplicationRole')) return []
    return ofKey.flatMap(({ Resource, Condition }) => {
      expect(Resource).toBe(keyArn)
      const { 'kms:ViaService': services } = (Condition as { StringEquals: Record<string, unknown> })
        .StringEquals
      return [services].flat().map(service => `${id.replace(/Role.*/, '')} ${hostOf(service)}`)
    })
  })
  const of = (name: string) =>
    [
      ...new Set(uses.filter(use => use.startsWith(`${name} `)).map(use => use.slice(name.length + 1))),
    ].toSorted()
  expect(of('track')).toEqual(['dynamodb', 'kinesis', 'secretsmanager'])
  expect(of('reports')).toEqual(['athena', 'dynamodb', 's3', 'secretsmanager'])
  expect(of('lake')).toEqual(['dynamodb', 'kinesis', 's3'])
  expect(of('live')).toEqual(['dynamodb', 'kinesis'])
  expect(of('jobs')).toEqual(['dynamodb', 's3', 'sqs'])
  expect(of('Clock')).toEqual(['sqs'])
  for (const name of ['site', 'scan']) expect(of(name)).toEqual([])
})

/** `s3` of `s3.<region>.amazonaws.com`. */
function hostOf(service: unknown): string {
  const text = typeof service === 'string' ? service : JSON.stringify(service)
  return text.match(/([a-z0-9]+)\./)?.[1] ?? text
}

test('copies in another region are encrypted with the second key', () => {
  const { ReplicationConfiguration } = own.only('AWS::S3::Bucket').Properties
  expect(ReplicationConfiguration).toMatchObject({
    Rules: [
      {
        Destination: { EncryptionConfiguration: { ReplicaKmsKeyID: replicaKeyArn } },
        SourceSelectionCriteria: { SseKmsEncryptedObjects: { Status: 'Enabled' } },
      },
    ],
  })
})

test('the key replaces no resource that keeps data', () => {
  const ids = ({ template }: typeof own) =>
    Object.entries(template.Resources)
      .filter(([, { Type }]) => Type in KEYS)
      .map(([id]) => id)
      .toSorted()
  expect(ids(own)).toEqual(ids(plain))
})

test('cdk-nag has no finding with a key either', () => {
  expect(new AwsSolutionsChecks().validateScope(own.stack).violations).toEqual([])
})

test('a key in another region than the stack is refused', () => {
  expect(findRegionProblems(readConfig({ keyArn }), 'eu-west-1')).toEqual([])
  expect(findRegionProblems(readConfig({ keyArn }), 'us-east-1')).toEqual([
    'The stack is in us-east-1, and the key of keyArn in eu-west-1. Use a key in us-east-1.',
  ])
})

test.each([
  [{ keyArn: 'alias/mine' }, /keyArn.*ARN of one KMS key/],
  [{ keyArn, replicaBucketArn }, /replicaKeyArn.*together/],
  [{ replicaKeyArn, replicaBucketArn }, /replicaKeyArn.*together/],
])('the options %j are refused', (context, message) => {
  expect(() => readConfig(context)).toThrow(message)
})
