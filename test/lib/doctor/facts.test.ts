import { AthenaClient, GetQueryExecutionCommand, StartQueryExecutionCommand } from '@aws-sdk/client-athena'
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation'
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import {
  GetAccountSettingsCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda'
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type DoctorOptions, gatherStackFacts } from '#lib/doctor/facts'
import { synthesize } from '#test/lib/synthesized'
import { sharedDeployment } from '#test/support/deployment'

/** What the doctor reads of AWS, from the resources of a synthesized stack. */

const cloudFormation = mockClient(CloudFormationClient)
const lambda = mockClient(LambdaClient)
const athena = mockClient(AthenaClient)
const logs = mockClient(CloudWatchLogsClient)
const sns = mockClient(SNSClient)
const mocks = [cloudFormation, lambda, athena, logs, sns]
// The files of a worker share the classes.
afterAll(() => {
  for (const mock of mocks) mock.restore()
})

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:topic'
const clients = {
  cloudFormation: new CloudFormationClient(),
  lambda: new LambdaClient(),
  athena: new AthenaClient(),
  logs: new CloudWatchLogsClient(),
  sns: new SNSClient(),
}

/**
 * The resources of a template as CloudFormation lists them: the physical id is the logical one, but for
 * topics.
 */
function deploy(context: Record<string, unknown>): void {
  const { template } = synthesize(context)
  cloudFormation.on(DescribeStacksCommand).resolves({
    Stacks: [
      {
        StackId: 'arn:aws:cloudformation:eu-west-1:123456789012:stack/Footfall/1',
        StackName: 'Footfall',
        CreationTime: new Date(0),
        StackStatus: 'CREATE_COMPLETE',
        Outputs: ['BaseUrl', 'BucketName'].map(OutputKey => ({
          OutputKey,
          OutputValue: OutputKey === 'BaseUrl' ? 'https://stats.example.com' : 'bucket',
        })),
      },
    ],
  })
  cloudFormation.on(GetTemplateCommand).resolves({ TemplateBody: JSON.stringify(template) })
  cloudFormation.on(ListStackResourcesCommand).resolves({
    StackResourceSummaries: Object.entries(template.Resources).map(([id, { Type }]) => ({
      LogicalResourceId: id,
      PhysicalResourceId: Type === 'AWS::SNS::Topic' ? TOPIC : id,
      ResourceType: Type,
      LastUpdatedTimestamp: new Date(0),
      ResourceStatus: 'CREATE_COMPLETE',
    })),
  })
  lambda.on(GetFunctionConfigurationCommand).resolves({
    FunctionName: 'f',
    Environment: { Variables: { ATHENA_WORKGROUP: 'footfall', GLUE_DATABASE: 'footfall' } },
  })
}

beforeEach(() => {
  for (const mock of mocks) mock.reset()
  lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit: { ConcurrentExecutions: 1_000 } })
  sns.on(ListSubscriptionsByTopicCommand, { TopicArn: TOPIC }).resolves({
    Subscriptions: [{ SubscriptionArn: 'PendingConfirmation' }, { SubscriptionArn: `${TOPIC}:1` }],
  })
  logs.on(FilterLogEventsCommand).resolves({ events: [] })
})

async function gather(more: Partial<DoctorOptions> = {}) {
  const { baseUrl } = await sharedDeployment()
  return gatherStackFacts(clients, 'Footfall', {
    apiKey: null,
    statements: [],
    visibleMs: 0,
    compactionMs: 0,
    now: () => 1_796_000_000_000,
    sleep: async () => {},
    print() {},
    reachedAt: { baseUrl, apiUrl: baseUrl },
    ...more,
  })
}

test('the address for alarms, the workgroup and the address past CloudFront are those of the template', async () => {
  deploy({ alarmEmail: 'ada@example.com' })
  const { stack, subscriptions, executions, answers, trial } = await gather()
  expect(stack).toMatchObject({
    region: 'eu-west-1',
    workGroup: 'footfall',
    alarmTopics: [TOPIC],
    streamUrl: 'https://stats.example.com/stream',
  })
  expect(subscriptions).toEqual([{ isConfirmed: false }, { isConfirmed: true }])
  expect(executions).toBe(1_000)
  expect(trial).toBeNull()
  expect(answers.health.status).toBe(200)
  expect(answers.nothing.status).toBe(404)
  expect(answers.stranger.status).toBe(401)
  expect(answers.notUtf8.status).toBe(400)
  expect(answers.pastEdge?.status).toBe(200)
})

test('a stack without an address, without streams and without CloudFront has none of these', async () => {
  deploy({ streams: 'false' })
  expect((await gather()).stack).toMatchObject({ alarmTopics: [], streamUrl: null })
  deploy({ edge: 'false' })
  const { stack, answers } = await gather()
  expect(stack.apiUrl).toBeNull()
  expect(answers.pastEdge).toBeNull()
  deploy({ alarmTopicArn: TOPIC })
  expect((await gather()).stack.alarmTopics).toEqual([TOPIC])
})

test('lines about missing rights are read from every log, and a missing right to look is told', async () => {
  deploy({})
  logs
    .on(FilterLogEventsCommand, { logGroupName: '/aws/lambda/f', filterPattern: 'AccessDenied' })
    .resolves({ events: [{ message: 'AccessDenied: s3:GetObject' }] })
  expect((await gather()).logs?.denied[0]).toBe('/aws/lambda/f: AccessDenied: s3:GetObject')
  logs.on(FilterLogEventsCommand).rejects(new Error('AccessDenied'))
  sns.on(ListSubscriptionsByTopicCommand).rejects(new Error('AccessDenied'))
  lambda.on(GetAccountSettingsCommand).rejects(new Error('AccessDenied'))
  deploy({ alarmEmail: 'ada@example.com' })
  expect(await gather()).toMatchObject({ logs: null, subscriptions: null, executions: null })
})

test('Athena plans every statement in the workgroup, and the reason of one that it cannot plan is kept', async () => {
  deploy({})
  athena.on(StartQueryExecutionCommand).callsFake(({ QueryString, WorkGroup, QueryExecutionContext }) => {
    expect([WorkGroup, QueryExecutionContext.Database]).toEqual(['footfall', 'footfall'])
    return { QueryExecutionId: QueryString }
  })
  let polls = 0
  athena.on(GetQueryExecutionCommand).callsFake(({ QueryExecutionId }) => {
    const State = ++polls === 1 ? 'RUNNING' : QueryExecutionId === 'EXPLAIN SELECT 2' ? 'FAILED' : 'SUCCEEDED'
    return { QueryExecution: { Status: { State, StateChangeReason: 'COLUMN_NOT_FOUND' } } }
  })
  const { explained } = await gather({ statements: ['SELECT 1', 'SELECT 2', 'SELECT 3'] })
  expect(explained).toEqual({ count: 3, failures: ['COLUMN_NOT_FOUND: SELECT 2'] })
})

test('a stack of something else is refused with its name', async () => {
  cloudFormation.on(DescribeStacksCommand).resolves({ Stacks: [] })
  await expect(gather()).rejects.toThrow(
    'The stack Footfall has no output BaseUrl. Name the stack of the service.',
  )
})
