import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  ListStacksCommand,
} from '@aws-sdk/client-cloudformation'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { findKept } from '#lib/find-kept'
import { keptResources, toResourceMapping } from '#lib/kept-resources'
import { synthesize } from './synthesized.ts'

/** What outlives the stack, and how another stack takes it over. */

const plain = synthesize()
const kept = Object.values(keptResources)

test.each<[string, Record<string, unknown>]>([
  ['the defaults', {}],
  ['another name', { stackName: 'Footfall-Staging' }],
  ['an on-demand stream without CloudFront', { streamMode: 'on-demand', edge: false }],
  ['ingestion by a function URL', { ingestion: 'function-url', concurrency: 1_000 }],
])('with %s, exactly the kept resources have a policy that keeps them, under fixed ids', (_, options) => {
  const { template } = synthesize(options)
  const retained = Object.entries(template.Resources)
    .filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain'))
    .map(([id, { Type }]) => [id, Type])
  expect(retained.toSorted()).toEqual(kept.map(({ logicalId, type }) => [logicalId, type]).toSorted())
})

test('the fixed ids never change, because a resource with another id would be a new and empty one', () => {
  expect(kept.map(({ logicalId }) => logicalId)).toEqual([
    'StorageLake72898626',
    'StorageStateA15002BE',
    'StorageEmailKey503F7526',
    'StreamEventsDDC9B72B',
  ])
})

test('the kept resources need no other one, so that an import is made of them alone', () => {
  for (const { logicalId } of kept) {
    const resource = plain.template.Resources[logicalId]
    expect(resource?.DependsOn, logicalId).toBeUndefined()
    expect(JSON.stringify(resource), logicalId).not.toMatch(/"Ref":"(?!AWS::)|"Fn::GetAtt"|"Fn::ImportValue"/)
    // A fixed name could not be that of a resource that a stack of another name has made.
    for (const name of ['BucketName', 'TableName', 'Name'])
      expect(resource?.Properties).not.toHaveProperty(name)
  }
})

test('no kept resource is in the outputs alone: each can be found by its identifier', () => {
  const mapping = toResourceMapping(new Map(kept.map(({ logicalId, type }) => [logicalId, `the ${type}`])))
  expect(mapping).toEqual({
    StorageLake72898626: { BucketName: 'the AWS::S3::Bucket' },
    StorageStateA15002BE: { TableName: 'the AWS::DynamoDB::Table' },
    StorageEmailKey503F7526: { Id: 'the AWS::SecretsManager::Secret' },
    StreamEventsDDC9B72B: { Name: 'the AWS::Kinesis::Stream' },
  })
})

const cloudFormation = mockClient(CloudFormationClient)
// The files of a worker share the class.
afterAll(() => cloudFormation.restore())

const arn = (id: string) => `arn:aws:cloudformation:eu-west-1:123456789012:stack/Footfall/${id}`
const summary = (id: string, StackStatus: 'DELETE_COMPLETE' | 'CREATE_COMPLETE', deletedMs = 0) => ({
  StackId: arn(id),
  StackName: 'Footfall',
  CreationTime: new Date(0),
  StackStatus,
  ...(StackStatus === 'DELETE_COMPLETE' && { DeletionTime: new Date(deletedMs) }),
})
const event = (LogicalResourceId: string, PhysicalResourceId: string, ResourceStatus = 'DELETE_SKIPPED') => ({
  StackId: arn('1'),
  EventId: LogicalResourceId,
  StackName: 'Footfall',
  Timestamp: new Date(0),
  LogicalResourceId,
  PhysicalResourceId,
  ResourceStatus: ResourceStatus as 'DELETE_SKIPPED',
})
const skipped = kept.map(({ logicalId }) => event(logicalId, `kept ${logicalId}`))

beforeEach(() => {
  cloudFormation.reset()
})

test('of several deleted stacks of a name the last one counts, and an ARN names another', async () => {
  const StackSummaries = [
    summary('2', 'DELETE_COMPLETE', 2_000),
    summary('3', 'DELETE_COMPLETE', 3_000),
    summary('1', 'DELETE_COMPLETE', 1_000),
  ]
  cloudFormation.on(ListStacksCommand).resolves({ StackSummaries })
  cloudFormation.on(DescribeStackEventsCommand).resolves({ StackEvents: skipped })
  const { stackId, mapping } = await findKept(new CloudFormationClient(), 'Footfall')
  expect(stackId).toBe(arn('3'))
  expect(mapping.StorageLake72898626).toEqual({ BucketName: 'kept StorageLake72898626' })
  expect((await findKept(new CloudFormationClient(), arn('1'))).stackId).toBe(arn('1'))
})

test('only resources that the deletion has left count, and they may stand on later pages', async () => {
  const deleted = event('StorageLakePolicyAAAAAAAA', 'gone', 'DELETE_COMPLETE')
  const tries = event('StorageLake72898626', 'of the first try', 'CREATE_FAILED')
  cloudFormation
    .on(DescribeStackEventsCommand)
    .resolvesOnce({ StackEvents: [deleted, ...skipped.slice(0, 2)], NextToken: 'more' })
    .resolvesOnce({ StackEvents: [...skipped.slice(2), tries] })
  const { mapping } = await findKept(new CloudFormationClient(), arn('1'))
  expect(Object.keys(mapping)).toHaveLength(kept.length)
  expect(mapping.StorageLake72898626).toEqual({ BucketName: 'kept StorageLake72898626' })
})

test.each<[string, object[], object[], RegExp]>([
  ['a stack that exists', [summary('1', 'CREATE_COMPLETE')], skipped, /exists and uses its own data/],
  ['no deleted stack', [], skipped, /No stack Footfall was deleted/],
  [
    'a stack that has not kept everything',
    [summary('1', 'DELETE_COMPLETE')],
    skipped.slice(1),
    /no AWS::S3::Bucket/,
  ],
])('%s is refused, with what is wrong', async (_, StackSummaries, StackEvents, message) => {
  cloudFormation.on(ListStacksCommand).resolves({ StackSummaries: StackSummaries as never })
  cloudFormation.on(DescribeStackEventsCommand).resolves({ StackEvents: StackEvents as never })
  await expect(findKept(new CloudFormationClient(), 'Footfall')).rejects.toThrow(message)
})
