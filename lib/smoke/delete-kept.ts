import { DeleteTableCommand, type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { DeleteStreamCommand, type KinesisClient } from '@aws-sdk/client-kinesis'
import {
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { DeleteSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { type KeptResource, keptResources } from '#lib/kept-resources'

export type KeptClients = {
  s3: S3Client
  dynamo: Pick<DynamoDBClient, 'send'>
  kinesis: KinesisClient
  secrets: SecretsManagerClient
}

const deleters: Record<KeptResource, (clients: KeptClients, name: string) => Promise<unknown>> = {
  stream: ({ kinesis }, StreamName) => kinesis.send(new DeleteStreamCommand({ StreamName })),
  async state({ dynamo }, TableName) {
    await dynamo.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }))
    await dynamo.send(new DeleteTableCommand({ TableName }))
  },
  emailKey: ({ secrets }, SecretId) =>
    secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true })),
  async lake({ s3 }, Bucket) {
    await emptyBucket(s3, Bucket)
    await s3.send(new DeleteBucketCommand({ Bucket }))
  },
}

/**
 * Deletes all data that `cdk destroy` kept, for ever: it is for a stack that was made as a trial.
 * `physicalIds`: names on AWS by logical ids (find-kept.ts). Goes on after an error, so that nothing stays
 * that could go, and throws at the end with the name of each that is left.
 */
export async function deleteKept(
  clients: KeptClients,
  physicalIds: ReadonlyMap<string, string>,
): Promise<string[]> {
  const deleted: string[] = []
  const left: string[] = []
  for (const kind of Object.keys(deleters) as KeptResource[]) {
    const name = physicalIds.get(keptResources[kind].logicalId)
    if (name === undefined) continue
    await deleters[kind](clients, name).then(
      () => deleted.push(name),
      error => left.push(`${name}: ${error}`),
    )
  }
  if (left.length > 0)
    throw new Error(
      `Not deleted, and AWS still bills it. Delete it yourself (docs/aws.md, Deleting everything):\n${left.join('\n')}`,
    )
  return deleted
}

/** Deletes all versions of all objects, a page of 1,000 at a time. */
async function emptyBucket(s3: S3Client, Bucket: string): Promise<void> {
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }))
    const found = [...Versions, ...DeleteMarkers]
    if (found.length === 0) return
    const Objects = found.map(({ Key, VersionId }) => ({ Key, VersionId }))
    const { Errors = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
    )
    const [first] = Errors
    if (first !== undefined)
      throw new Error(`${Errors.length} objects cannot be deleted, such as ${first.Key}: ${first.Message}`)
  }
}
