import { DeleteTableCommand, type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { DeleteStreamCommand, type KinesisClient } from '@aws-sdk/client-kinesis'
import {
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { DeleteSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { keptResources, type ResourceMapping } from '#lib/kept-resources'

export type KeptClients = {
  kinesis: KinesisClient
  dynamo: DynamoDBClient
  s3: S3Client
  secrets: SecretsManagerClient
}

/**
 * Deletes what `cdk destroy` has kept, with all data and without a way back: "Deleting everything" of
 * docs/aws.md.
 */
export async function deleteKept(
  { kinesis, dynamo, s3, secrets }: KeptClients,
  mapping: ResourceMapping,
): Promise<void> {
  const nameOf = ({ logicalId, identifier }: (typeof keptResources)[keyof typeof keptResources]) =>
    mapping[logicalId]?.[identifier]
  const { stream, state, lake, emailKey } = keptResources
  await kinesis.send(new DeleteStreamCommand({ StreamName: nameOf(stream), EnforceConsumerDeletion: true }))
  const TableName = nameOf(state)
  await dynamo.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }))
  await dynamo.send(new DeleteTableCommand({ TableName }))
  await secrets.send(
    new DeleteSecretCommand({ SecretId: nameOf(emailKey), ForceDeleteWithoutRecovery: true }),
  )
  const Bucket = nameOf(lake)
  // A page has at most as many versions as one request deletes. What is deleted is not listed again.
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }))
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }))
    if (Objects.length === 0) break
    const { Errors: [failed] = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
    )
    if (failed !== undefined) throw new Error(`S3 kept ${failed.Key}: ${failed.Message}`)
  }
  await s3.send(new DeleteBucketCommand({ Bucket }))
}
