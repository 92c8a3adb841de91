import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { KinesisClient } from '@aws-sdk/client-kinesis'
import {
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { mockClient } from 'aws-sdk-client-mock'
import { beforeEach, expect, test } from 'vitest'
import { keptResources } from '#lib/kept-resources'
import { deleteKept } from '#lib/smoke/delete-kept'

const clients = {
  s3: new S3Client({}),
  dynamo: new DynamoDBClient({}),
  kinesis: new KinesisClient({}),
  secrets: new SecretsManagerClient({}),
}
// Of these clients alone: a mock of the class would answer the clients of other test files too.
const s3 = mockClient(clients.s3)
const dynamo = mockClient(clients.dynamo)
const kinesis = mockClient(clients.kinesis)
const secrets = mockClient(clients.secrets)
const names = new Map(Object.entries(keptResources).map(([kind, { logicalId }]) => [logicalId, `my-${kind}`]))
const version = (Key: string) => ({ Key, VersionId: '1' })

beforeEach(() => {
  for (const mock of [s3, dynamo, kinesis, secrets]) mock.reset()
  s3.onAnyCommand().resolves({})
  dynamo.onAnyCommand().resolves({})
  kinesis.onAnyCommand().resolves({})
  secrets.onAnyCommand().resolves({})
})

const commands = () =>
  [s3, dynamo, kinesis, secrets].flatMap(mock => mock.calls().map(call => call.args[0].constructor.name))

test('the four resources are deleted, the table without its protection', async () => {
  expect(await deleteKept(clients, names)).toEqual(['my-stream', 'my-state', 'my-emailKey', 'my-lake'])
  expect(commands().toSorted()).toEqual([
    'DeleteBucketCommand',
    'DeleteSecretCommand',
    'DeleteStreamCommand',
    'DeleteTableCommand',
    'ListObjectVersionsCommand',
    'UpdateTableCommand',
  ])
})

test('every page of versions and of delete markers is deleted before the bucket', async () => {
  s3.on(ListObjectVersionsCommand)
    .resolvesOnce({ Versions: [version('a'), version('b')], DeleteMarkers: [version('c')] })
    .resolvesOnce({ Versions: [version('d')] })
    .resolves({})
  await deleteKept(clients, names)
  const deleted = s3.commandCalls(DeleteObjectsCommand).map(({ args }) => args[0].input.Delete?.Objects)
  expect(deleted).toEqual([[version('a'), version('b'), version('c')], [version('d')]])
  expect(
    commands()
      .filter(name => name.startsWith('Delete'))
      .indexOf('DeleteBucketCommand'),
  ).toBe(2)
})

test('an error is told at the end, and the others are deleted all the same', async () => {
  s3.on(DeleteBucketCommand).rejects(new Error('AccessDenied'))
  await expect(deleteKept(clients, names)).rejects.toThrow(
    /still bills it[\s\S]*my-lake: Error: AccessDenied/,
  )
  expect(commands()).toContain('DeleteTableCommand')
  expect(commands()).toContain('DeleteSecretCommand')
})

test('objects that S3 does not delete are named, and are not asked for again and again', async () => {
  s3.on(ListObjectVersionsCommand).resolves({ Versions: [version('locked')] })
  s3.on(DeleteObjectsCommand).resolves({ Errors: [{ Key: 'locked', Message: 'Access Denied' }] })
  await expect(deleteKept(clients, names)).rejects.toThrow(
    '1 objects cannot be deleted, such as locked: Access Denied',
  )
})

test('a deployment that failed has kept some: only these are deleted', async () => {
  const table = new Map([[keptResources.state.logicalId, 'my-state']])
  expect(await deleteKept(clients, table)).toEqual(['my-state'])
  expect(s3.calls()).toEqual([])
})
