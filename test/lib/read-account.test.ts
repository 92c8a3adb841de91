import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { DescribeStreamSummaryCommand, KinesisClient } from '@aws-sdk/client-kinesis'
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readAccount } from '#lib/read-account'

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
  lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit: { ConcurrentExecutions: 10 } })
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
  expect(await readAccount('Footfall', credentials)).toEqual({ concurrency: 10, shards: 4 })
})

test('before the first deployment there are no shards, and the stack of cdk bootstrap tells the account', async () => {
  cloudFormation.on(DescribeStacksCommand, { StackName: 'Footfall' }).rejects(new Error('does not exist'))
  cloudFormation.on(DescribeStacksCommand, { StackName: 'CDKToolkit' }).resolves(stackOf(credentials.account))
  expect(await readAccount('Footfall', credentials)).toEqual({ concurrency: 10, shards: null })
})

test('credentials of another account, without rights, or none at all tell nothing, and the synthesis goes on', async () => {
  cloudFormation.on(DescribeStacksCommand).resolves(stackOf('210987654321'))
  expect(await readAccount('Footfall', credentials)).toBeNull()
  cloudFormation.on(DescribeStacksCommand).rejects(new Error('AccessDenied'))
  expect(await readAccount('Footfall', credentials)).toBeNull()
  expect(await readAccount('Footfall', { account: undefined, region: undefined })).toBeNull()
  expect(lambda.calls()).toEqual([])
})
