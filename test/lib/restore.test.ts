import { CloudFormationClient, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation'
import {
  BatchWriteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  RestoreTableToPointInTimeCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  InvokeCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda'
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3'
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { callRestore } from '#lib/restore/call-restore'
import { copyItems } from '#lib/restore/copy-items'
import { restoreService } from '#lib/restore/restore-service'
import { readServiceResources } from '#lib/restore/service-resources'
import { undoDeletions } from '#lib/restore/undo-deletions'
import { createWait } from '#lib/restore/wait'
import { functions } from '#schemas/functions'
import { createStateTable, openDynaliteState } from '#test/support/dynalite-state'
import { EMULATOR_ACCESS } from '#test/support/emulators'
import { synthesize } from './synthesized.ts'

/** `npm run restore`: table and lake of a deployed service back to one moment. */

const lambda = mockClient(LambdaClient)
const sqs = mockClient(SQSClient)
const s3 = mockClient(S3Client)
const dynamo = mockClient(DynamoDBClient)
const cloudFormation = mockClient(CloudFormationClient)
const mocks = [lambda, sqs, s3, dynamo, cloudFormation]
// The files of a worker share the classes.
afterAll(() => {
  for (const mock of mocks) mock.restore()
})
beforeEach(() => {
  for (const mock of mocks) mock.reset()
})

const moment = new Date('2026-11-21T03:00:00Z')
const later = new Date('2026-11-21T04:00:00Z')
const earlier = new Date('2026-11-21T02:00:00Z')
const resources = {
  bucket: 'lake',
  table: 'state',
  mappings: ['to-lake', 'to-jobs'],
  scheduler: 'scheduler',
  restore: 'restore',
  jobQueue: 'https://queue',
  emailKey: 'arn:email-key',
  callers: ['reports', 'control'],
}
const found = { claims: 1, lost: { events: 0 } }
const payload = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)) as never

/** The waits of the commands, without waiting. */
function createTestWait() {
  const waits: number[] = []
  return { waits, wait: createWait(async ms => waits.push(ms)) }
}

function createClients() {
  const printed: string[] = []
  const { waits, wait } = createTestWait()
  let time = 0
  return {
    printed,
    waits,
    clients: {
      lambda: new LambdaClient(),
      sqs: new SQSClient(),
      s3: new S3Client(),
      dynamo: new DynamoDBClient(),
      wait,
      now: () => (time += 1_000),
      print: (line: string) => printed.push(line),
    },
  }
}

/** A service on which every step succeeds. Mappings take the state that they were given last. */
function playGoodService(): void {
  let enabled = true
  lambda.on(UpdateEventSourceMappingCommand).callsFake(({ Enabled }) => {
    enabled = Enabled
    return {}
  })
  lambda.on(GetEventSourceMappingCommand).callsFake(() => ({ State: enabled ? 'Enabled' : 'Disabled' }))
  lambda.on(InvokeCommand).resolves({ Payload: payload(found) })
  sqs.on(GetQueueAttributesCommand).resolves({ Attributes: { ApproximateNumberOfMessagesNotVisible: '0' } })
  s3.on(ListObjectVersionsCommand).resolves({})
  const missing = Object.assign(new Error('no table'), { name: 'ResourceNotFoundException' })
  dynamo
    .on(DescribeTableCommand)
    .rejectsOnce(missing)
    .resolvesOnce({ Table: { TableStatus: 'CREATING' } })
    .resolves({ Table: { TableStatus: 'ACTIVE' } })
  dynamo.on(GetItemCommand).resolves({})
  dynamo.on(ScanCommand).resolves({ Items: [] })
  dynamo.on(ScanCommand, { Segment: 0 }).resolves({ Items: [{ pk: { S: 'a' } }] })
  dynamo.on(BatchWriteItemCommand).resolves({})
}

type Call = { callId: number; args: [object] }

/** The commands of all clients in their order, by their names. */
function commands(): string[] {
  const calls: Call[] = mocks.flatMap(mock => mock.calls() as unknown as Call[])
  return calls.toSorted((a, b) => a.callId - b.callId).map(({ args }) => args[0].constructor.name)
}

test('the table is restored before anything stops, and everything runs again at the end', async () => {
  playGoodService()
  const { clients, printed } = createClients()
  const restored = await restoreService(clients, resources, moment)
  expect(restored.found).toEqual(found)
  expect(restored.stoppedSeconds).toBeLessThan(restored.seconds)
  const order = commands()
  const at = (name: string) => order.indexOf(name)
  expect(at('RestoreTableToPointInTimeCommand')).toBeLessThan(at('UpdateEventSourceMappingCommand'))
  expect(at('PutFunctionConcurrencyCommand')).toBeLessThan(at('ListObjectVersionsCommand'))
  expect(at('ListObjectVersionsCommand')).toBeLessThan(at('ScanCommand'))
  expect(at('BatchWriteItemCommand')).toBeLessThan(at('InvokeCommand'))
  expect(at('InvokeCommand')).toBeLessThan(at('DeleteFunctionConcurrencyCommand'))
  expect(order.at(-1)).toBe('DeleteTableCommand')
  expect(dynamo.commandCalls(RestoreTableToPointInTimeCommand)[0]?.args[0].input).toMatchObject({
    SourceTableName: 'state',
    TargetTableName: 'state-restored',
    RestoreDateTime: moment,
  })
  // The table of the service itself is never deleted.
  expect(dynamo.commandCalls(DeleteTableCommand).map(({ args }) => args[0].input.TableName)).toEqual([
    'state-restored',
  ])
  expect(lambda.commandCalls(PutFunctionConcurrencyCommand)[0]?.args[0].input).toEqual({
    FunctionName: 'scheduler',
    ReservedConcurrentExecutions: 0,
  })
  expect(printed.join('\n')).toMatch(/items are copied into the table: 1/)
})

test('all deleted files of the lake come back, and those of links and traits only with a lost table', async () => {
  const restored = async () => {
    s3.resetHistory()
    await restoreService(createClients().clients, resources, moment)
    return s3.commandCalls(ListObjectVersionsCommand).map(({ args }) => args[0].input.Prefix)
  }
  const lasting = [
    'hot/',
    ...['events', 'sessions', 'activity', 'event-ids'].map(name => `segments/${name}/`),
    ...['hot-identity/', 'tombstones/', 'manifests/'],
  ]
  playGoodService()
  expect((await restored()).toSorted()).toEqual([...lasting, 'links/', 'traits/'].toSorted())
  // Old ones have ids of persons who were erased since.
  dynamo.on(GetItemCommand).resolves({ Item: { pk: { S: '$footfall' } } })
  expect((await restored()).toSorted()).toEqual(lasting.toSorted())
})

test('a moment that DynamoDB refuses stops nothing', async () => {
  playGoodService()
  dynamo.on(RestoreTableToPointInTimeCommand).rejects(new Error('InvalidRestoreTimeException'))
  await expect(restoreService(createClients().clients, resources, moment)).rejects.toThrow(
    'InvalidRestoreTime',
  )
  expect(lambda.calls()).toEqual([])
})

test('after a failed step the writers stay stopped, and the next call continues with the restored table', async () => {
  playGoodService()
  lambda
    .on(InvokeCommand)
    .resolves({ FunctionError: 'Unhandled', Payload: payload({ errorMessage: 'broken' }) })
  await expect(restoreService(createClients().clients, resources, moment)).rejects.toThrow('broken')
  expect(lambda.commandCalls(DeleteFunctionConcurrencyCommand)).toHaveLength(0)
  expect(dynamo.commandCalls(DeleteTableCommand)).toHaveLength(0)
  lambda.on(InvokeCommand).resolves({ Payload: payload(found) })
  await restoreService(createClients().clients, resources, moment)
  expect(dynamo.commandCalls(RestoreTableToPointInTimeCommand)).toHaveLength(1)
  expect(lambda.commandCalls(DeleteFunctionConcurrencyCommand)).toHaveLength(1)
})

test('nothing is changed while a job runs, and a job that does not end is an error', async () => {
  playGoodService()
  sqs.on(GetQueueAttributesCommand).resolves({ Attributes: { ApproximateNumberOfMessagesNotVisible: '1' } })
  await expect(restoreService(createClients().clients, resources, moment)).rejects.toThrow(/A job still runs/)
  expect(dynamo.commandCalls(BatchWriteItemCommand)).toHaveLength(0)
  expect(s3.calls()).toEqual([])
})

test('the function is called again after maintenance and after its 15 minutes, and not after another error', async () => {
  const client = new LambdaClient()
  const failure = (errorMessage: string) => ({
    FunctionError: 'Unhandled',
    Payload: payload({ errorMessage }),
  })
  lambda
    .on(InvokeCommand)
    .resolvesOnce(failure('Maintenance runs. Stop the scheduler function.'))
    .resolvesOnce(failure('Task timed out after 900.00 seconds'))
    .resolvesOnce({ Payload: payload(found) })
    .resolves(failure('no access'))
  const { waits, wait } = createTestWait()
  expect(await callRestore({ lambda: client, wait }, 'restore')).toEqual(found)
  expect(waits).toEqual([60_000, 900_000])
  await expect(callRestore({ lambda: client, wait }, 'restore')).rejects.toThrow('no access')
})

test('only deletions after the moment are undone, on all pages, and an error of S3 stops', async () => {
  const marker = (Key: string, LastModified: Date) => ({
    Key,
    VersionId: `of ${Key}`,
    LastModified,
    IsLatest: true,
  })
  s3.on(ListObjectVersionsCommand, { Prefix: 'hot/' })
    .resolvesOnce({
      DeleteMarkers: [marker('hot/a', later), marker('hot/b', earlier), marker('hot/c', moment)],
      IsTruncated: true,
      NextKeyMarker: 'hot/c',
      NextVersionIdMarker: 'v',
    })
    .resolvesOnce({ DeleteMarkers: [marker('hot/d', later)] })
  s3.on(DeleteObjectsCommand).resolvesOnce({}).resolvesOnce({})
  const since = { prefixes: ['hot/'], since: moment }
  expect(await undoDeletions(new S3Client(), 'lake', since)).toBe(2)
  const undone = s3
    .commandCalls(DeleteObjectsCommand)
    .flatMap(({ args }) => args[0].input.Delete?.Objects ?? [])
  expect(undone).toEqual([
    { Key: 'hot/a', VersionId: 'of hot/a' },
    { Key: 'hot/d', VersionId: 'of hot/d' },
  ])
  expect(s3.commandCalls(ListObjectVersionsCommand)[1]?.args[0].input).toMatchObject({ KeyMarker: 'hot/c' })
  s3.on(ListObjectVersionsCommand).resolves({ DeleteMarkers: [marker('hot/e', later)] })
  s3.on(DeleteObjectsCommand).resolves({ Errors: [{ Key: 'hot/e', Message: 'Access Denied' }] })
  await expect(undoDeletions(new S3Client(), 'lake', since)).rejects.toThrow(/hot\/e: Access Denied/)
})

test('items that DynamoDB does not take are sent again, and an error says so when it takes none', async () => {
  const request = { PutRequest: { Item: { pk: { S: 'b' } } } }
  const client = new DynamoDBClient()
  const { wait } = createTestWait()
  dynamo.on(GetItemCommand).resolves({})
  dynamo.on(ScanCommand).resolves({ Items: [] })
  dynamo.on(ScanCommand, { Segment: 3 }).resolves({ Items: [{ pk: { S: 'a' } }, { pk: { S: 'b' } }] })
  dynamo
    .on(BatchWriteItemCommand)
    .resolvesOnce({ UnprocessedItems: { state: [request] } })
    .resolvesOnce({})
    .resolves({ UnprocessedItems: { state: [request] } })
  expect(await copyItems({ dynamo: client, wait }, 'copy', 'state')).toMatchObject({ items: 2 })
  const sent = dynamo.commandCalls(BatchWriteItemCommand).map(({ args }) => args[0].input.RequestItems?.state)
  expect(sent.map(requests => requests?.length)).toEqual([2, 1])
  await expect(copyItems({ dynamo: client, wait }, 'copy', 'state')).rejects.toThrow(/takes no items/)
})

test('the resources are those of the template, and a stack without them is refused', async () => {
  const { template } = synthesize()
  const ids = Object.keys(template.Resources)
  const summaries = ids.map(id => ({
    LogicalResourceId: id,
    PhysicalResourceId: `physical ${id}`,
    ResourceType: template.Resources[id]?.Type,
    ResourceStatus: 'CREATE_COMPLETE' as const,
    LastUpdatedTimestamp: new Date(0),
  }))
  cloudFormation.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: summaries as never })
  const read = await readServiceResources(new CloudFormationClient(), 'Footfall')
  const typeOf = (name: string) => template.Resources[name.replace('physical ', '')]?.Type
  expect(read.mappings.map(typeOf)).toEqual(Array(2).fill('AWS::Lambda::EventSourceMapping'))
  expect([read.scheduler, read.restore].map(typeOf)).toEqual(Array(2).fill('AWS::Lambda::Function'))
  expect([read.bucket, read.table, read.jobQueue, read.emailKey].map(typeOf)).toEqual([
    'AWS::S3::Bucket',
    'AWS::DynamoDB::Table',
    'AWS::SQS::Queue',
    'AWS::SecretsManager::Secret',
  ])
  // Whoever calls the others changes nothing that a promotion copies: they write to the stream, or are called
  // by the service itself.
  const named = [...read.callers, read.scheduler, read.restore].map(
    name => /physical (.+)Function/.exec(name)?.[1],
  )
  expect(
    Object.keys(functions)
      .filter(name => !named.includes(name))
      .toSorted(),
  ).toEqual(['jobs', 'lake', 'live', 'scan', 'site', 'track'])
  cloudFormation.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: [] })
  await expect(readServiceResources(new CloudFormationClient(), 'Other')).rejects.toThrow(/Other has no/)
})

test('items of the copy replace those of the table, and newer items stay', async () => {
  dynamo.restore()
  const state = await openDynaliteState()
  onTestFinished(() => state.close())
  const client = new DynamoDBClient({ endpoint: state.endpoint, ...EMULATOR_ACCESS })
  await createStateTable(client, 'copy')
  // Three batches, with an item of over a page of a scan.
  const old = Array.from({ length: 60 }, (_, i) => ({
    pk: `old ${i}`,
    sk: 'x',
    value: i === 0 ? 'y'.repeat(300_000) : `of the moment ${i}`,
  }))
  for (const Item of old) await state.client.put({ TableName: 'copy', Item })
  await state.client.put({ TableName: state.table, Item: { pk: 'old 1', sk: 'x', value: 'changed since' } })
  await state.client.put({ TableName: state.table, Item: { pk: 'new', sk: 'x', value: 'made since' } })
  expect(await copyItems({ dynamo: client, wait: createTestWait().wait }, 'copy', state.table)).toMatchObject(
    {
      items: 60,
    },
  )
  const { Items = [] } = await state.client.scan({ TableName: state.table, ConsistentRead: true })
  const values = Object.fromEntries(Items.map(({ pk, value }) => [pk, value]))
  expect(values).toEqual({
    ...Object.fromEntries(old.map(({ pk, value }) => [pk, value])),
    new: 'made since',
  })
})
