import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation'
import { DescribeStreamSummaryCommand, KinesisClient } from '@aws-sdk/client-kinesis'
import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readAccount, TRACK_FUNCTION } from '#lib/read-account'
import { synthesize } from './synthesized.ts'

const cloudFormation = mockClient(CloudFormationClient)
const kinesis = mockClient(KinesisClient)
const lambda = mockClient(LambdaClient)
// The files of a worker share the classes.
afterAll(() => {
  for (const mock of [cloudFormation, kinesis, lambda]) mock.restore()
})

const credentials = { account: '123456789012', region: 'eu-west-1' }
const stackOf = (account: string, Outputs: object[] = []) => ({
  Stacks: [
    {
      StackId: `arn:aws:cloudformation:eu-west-1:${account}:stack/Footfall/1`,
      StackName: 'Footfall',
      CreationTime: new Date(0),
      StackStatus: 'CREATE_COMPLETE' as const,
      Outputs,
    },
  ],
})

beforeEach(() => {
  for (const client of [cloudFormation, kinesis, lambda]) client.reset()
  lambda
    .on(GetAccountSettingsCommand)
    .resolves({ AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } })
  cloudFormation.on(DescribeStackResourcesCommand).resolves({
    StackResources: [
      {
        LogicalResourceId: TRACK_FUNCTION,
        PhysicalResourceId: 'track-of-this-stack',
        ResourceType: 'AWS::Lambda::Function',
        Timestamp: new Date(0),
        ResourceStatus: 'CREATE_COMPLETE',
      },
    ],
  })
  lambda.on(GetFunctionConcurrencyCommand).resolves({})
  kinesis.on(DescribeStreamSummaryCommand).resolves({
    StreamDescriptionSummary: {
      StreamName: 'stream',
      StreamARN: 'arn',
      StreamStatus: 'ACTIVE',
      RetentionPeriodHours: 24,
      StreamCreationTimestamp: new Date(0),
      EnhancedMonitoring: [],
      OpenShardCount: 4,
    },
  })
})

test('the executions of the account and the shards of the deployed stream are read', async () => {
  const outputs = [{ OutputKey: 'StreamName', OutputValue: 'stream' }]
  cloudFormation.on(DescribeStacksCommand).resolves(stackOf(credentials.account, outputs))
  expect(await readAccount('Footfall', credentials)).toEqual({
    concurrency: 10,
    available: 10,
    shards: 4,
  })
})

test('without the right to look at the stream, the executions of the account count all the same', async () => {
  const outputs = [{ OutputKey: 'StreamName', OutputValue: 'stream' }]
  cloudFormation.on(DescribeStacksCommand).resolves(stackOf(credentials.account, outputs))
  kinesis.on(DescribeStreamSummaryCommand).rejects(new Error('AccessDenied'))
  expect(await readAccount('Footfall', credentials)).toEqual({ concurrency: 10, available: 10, shards: null })
})

test('what this service has reserved itself stays available, and what others have reserved does not', async () => {
  cloudFormation.on(DescribeStacksCommand).resolves(stackOf(credentials.account))
  lambda
    .on(GetAccountSettingsCommand)
    .resolves({ AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 500 } })
  const reserved = { FunctionName: 'track-of-this-stack' }
  lambda.on(GetFunctionConcurrencyCommand, reserved).resolves({ ReservedConcurrentExecutions: 200 })
  expect(await readAccount('Footfall', credentials)).toMatchObject({ concurrency: 1_000, available: 700 })
  lambda.on(GetFunctionConcurrencyCommand).rejects(new Error('AccessDenied'))
  expect(await readAccount('Footfall', credentials)).toMatchObject({ concurrency: 1_000, available: null })
})

test('the function that takes events has the logical id by which its reservation is found', () => {
  expect(synthesize().lambda('track').id).toBe(TRACK_FUNCTION)
})

test('before the first deployment there are no shards, and the stack of cdk bootstrap tells the account', async () => {
  cloudFormation.on(DescribeStacksCommand, { StackName: 'Footfall' }).rejects(new Error('does not exist'))
  cloudFormation.on(DescribeStacksCommand, { StackName: 'CDKToolkit' }).resolves(stackOf(credentials.account))
  expect(await readAccount('Footfall', credentials)).toEqual({
    concurrency: 10,
    available: 10,
    shards: null,
  })
})

test('credentials of another account, without rights, or none at all tell nothing, and the synthesis goes on', async () => {
  cloudFormation.on(DescribeStacksCommand).resolves(stackOf('210987654321'))
  expect(await readAccount('Footfall', credentials)).toBeNull()
  cloudFormation.on(DescribeStacksCommand).rejects(new Error('AccessDenied'))
  expect(await readAccount('Footfall', credentials)).toBeNull()
  expect(await readAccount('Footfall', { account: undefined, region: undefined })).toBeNull()
  expect(lambda.calls()).toEqual([])
})
