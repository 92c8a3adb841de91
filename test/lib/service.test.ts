import { App, Stack } from 'aws-cdk-lib'
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { MAINTENANCE } from '#aws/maintenance-settings'
import { readConfig } from '#lib/config'
import { ServiceFunction } from '#lib/function'
import { CORS } from '#schemas/cors'
import { type FunctionName, functions } from '#schemas/functions'
import { routeKeys, routes } from '#schemas/routes'
import { synthesize } from './synthesized.ts'

/** What the stack is made of, and how its parts hang together. */

const plain = synthesize()
const names = Object.keys(functions) as FunctionName[]

type Ref = { Ref: string }
type Arn = { 'Fn::GetAtt': [id: string, attribute: string] }

test('the same options give the same template, so that a second deployment changes nothing', () => {
  expect(synthesize().template).toEqual(plain.template)
})

test('the stack is of no account and no region', () => {
  expect(plain.stack.account).toContain('${Token')
  expect(plain.stack.region).toContain('${Token')
  expect(plain.template).not.toHaveProperty('Mappings')
})

test.each(names)('%s is given the settings of its schema, by values that pass it', name => {
  const { Variables } = plain.lambda(name).properties.Environment as { Variables: Record<string, unknown> }
  expect(Object.keys(Variables).toSorted()).toEqual(Object.keys(functions[name].shape).toSorted())
  const known = Object.entries(Variables).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : 'later',
  ])
  expect(functions[name].safeParse(Object.fromEntries(known)).error).toBeUndefined()
})

test('a synthesis stops when a function is given other settings than its schema has', () => {
  const app = new App({ context: flags, builtinCloudFormationValidation: false })
  const stack = new Stack(app, 'Forgetful')
  const made = new ServiceFunction(stack, 'site', {
    name: 'site',
    folder: import.meta.dirname,
    config: readConfig({}),
  })
  made.set('TABLE_NAME', 'state')
  expect(() => app.synth()).toThrow(/site is not given its setting BASE_URL.*site has no setting TABLE_NAME/s)
})

test('functions run on Node 24 and arm64, each with a limit of time and memory', () => {
  for (const name of names) {
    const { properties } = plain.lambda(name)
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
    })
    expect(properties.Timeout).toBeGreaterThan(0)
    expect(properties.MemorySize).toBeGreaterThanOrEqual(256)
    // What a new AWS account may have.
    expect(properties.MemorySize).toBeLessThanOrEqual(3008)
    // An account of 10 concurrent executions has none to reserve.
    expect(properties).not.toHaveProperty('ReservedConcurrentExecutions')
  }
})

/** Which function answers each route key. */
function answering(): Record<string, string> {
  const integrations = Object.fromEntries(plain.all('AWS::ApiGatewayV2::Integration'))
  return Object.fromEntries(
    plain.all('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => {
      const target = JSON.stringify(Properties.Target)
      const [, integration] = Object.entries(integrations).find(([id]) => target.includes(id)) ?? []
      const uri = integration?.Properties.IntegrationUri as Arn
      return [Properties.RouteKey, uri['Fn::GetAtt'][0].replace(/Function[0-9A-F]{8}$/, '')]
    }),
  )
}

test('every row of the routes table is a route to its function, and everything else goes to site', () => {
  const rows = Object.values(routes).flatMap(route => routeKeys(route).map(key => [key, route.function]))
  expect(answering()).toEqual({ ...Object.fromEntries(rows), $default: 'site' })
  for (const [, { Properties }] of plain.all('AWS::ApiGatewayV2::Integration')) {
    expect(Properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' })
  }
})

test('the API answers preflights as the functions would, and lets through what the stream is to refuse', () => {
  expect(plain.only('AWS::ApiGatewayV2::Api').Properties.CorsConfiguration).toEqual({
    AllowOrigins: [CORS.origin],
    AllowMethods: CORS.methods,
    AllowHeaders: CORS.headers,
    MaxAge: CORS.maxAgeSeconds,
  })
  const throttled = (context: Record<string, unknown>) =>
    synthesize(context).only('AWS::ApiGatewayV2::Stage').Properties.DefaultRouteSettings
  expect(throttled({})).toEqual({ ThrottlingRateLimit: 2_000, ThrottlingBurstLimit: 2_000 })
  expect(throttled({ shards: 4 })).toEqual({ ThrottlingRateLimit: 8_000, ThrottlingBurstLimit: 5_000 })
  // What AWS lets an account make in a second.
  expect(throttled({ shards: 5 })).toBeUndefined()
  expect(throttled({ requestsPerSecond: 20 })).toEqual({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 20 })
  const asked = { streamMode: 'on-demand', requestsPerSecond: 12_000 }
  expect(throttled(asked)).toEqual({ ThrottlingRateLimit: 12_000, ThrottlingBurstLimit: 5_000 })
})

test('no throttle of ours holds an on-demand stream at what it takes on its first day', () => {
  const { Properties } = synthesize({ streamMode: 'on-demand' }).only('AWS::ApiGatewayV2::Stage')
  expect(Properties.DefaultRouteSettings).toBeUndefined()
})

test('the lake consumer never drops a record, and what Lambda gave up all the same is kept', () => {
  const [, mapping] = plain.all('AWS::Lambda::EventSourceMapping').find(([id]) => id.startsWith('lake')) ?? []
  expect(mapping?.Properties).toMatchObject({
    StartingPosition: 'TRIM_HORIZON',
    MaximumRetryAttempts: -1,
    MaximumRecordAgeInSeconds: -1,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ParallelizationFactor: 1,
    BatchSize: 10_000,
    MaximumBatchingWindowInSeconds: 60,
    DestinationConfig: {
      OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/^StorageLake/), 'Arn'] } },
    },
  })
  // Made before the role has its rights, the mapping would be refused.
  expect(mapping?.DependsOn?.join()).toMatch(/lakeRoleDefaultPolicy/)
})

test('a batch that Lambda gave up leaves a message, which the bucket is allowed to send', () => {
  const bucket = plain.only('AWS::S3::Bucket')
  const { QueueConfigurations } = bucket.Properties.NotificationConfiguration as {
    QueueConfigurations: { Queue: Arn; Event: string; Filter: unknown }[]
  }
  expect(QueueConfigurations).toEqual([
    {
      Event: 's3:ObjectCreated:*',
      Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: 'aws/lambda/' }] } },
      Queue: { 'Fn::GetAtt': [expect.stringMatching(/^StorageFailures/), 'Arn'] },
    },
  ])
  expect(bucket.DependsOn?.join()).toMatch(/StorageFailuresQueuePolicy/)
})

test('a job is given to one worker at a time, which ends before it is given to another', () => {
  const [, mapping] = plain.all('AWS::Lambda::EventSourceMapping').find(([id]) => id.startsWith('jobs')) ?? []
  expect(mapping?.Properties).toMatchObject({
    BatchSize: 1,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 4 },
  })
  const [, jobs] = plain.all('AWS::SQS::Queue').find(([id]) => id.startsWith('JobQueueJobs')) ?? []
  const { Timeout, MemorySize, Environment } = plain.lambda('jobs').properties
  expect(jobs?.Properties.VisibilityTimeout).toBeGreaterThan(Number(Timeout))
  const tries = 5
  expect(jobs?.Properties.RedrivePolicy).toMatchObject({ maxReceiveCount: tries })
  // Before it is sent anew a job has had all its tries.
  expect(tries * Number(jobs?.Properties.VisibilityTimeout)).toBeLessThan(MAINTENANCE.resendMs / 1_000)
  const { Variables } = Environment as { Variables: Record<string, string> }
  expect(Number(Variables.COMPACTION_MEMORY_MB)).toBeLessThan(Number(MemorySize) - 512)
})

test('the scheduler is called every minute and ends before its lease; a failed call is not repeated later', () => {
  const schedule = plain.only('AWS::Scheduler::Schedule').Properties
  expect(schedule).toMatchObject({
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
  })
  const { Arn, DeadLetterConfig } = schedule.Target as { Arn: Arn; DeadLetterConfig: { Arn: Arn } }
  expect(Arn['Fn::GetAtt'][0]).toMatch(/^schedulerFunction/)
  expect(DeadLetterConfig.Arn['Fn::GetAtt'][0]).toMatch(/^ClockDeadLetters/)
  expect(plain.lambda('scheduler').properties.Timeout).toBeLessThan(60)
  expect(plain.only('AWS::Lambda::EventInvokeConfig').Properties).toMatchObject({ MaximumRetryAttempts: 0 })
})

type Behavior = {
  PathPattern?: string
  CachePolicyId: unknown
  AllowedMethods: string[]
  [name: string]: unknown
}
type Distribution = {
  DefaultCacheBehavior: Behavior
  CacheBehaviors: Behavior[]
  CustomErrorResponses: { ErrorCachingMinTTL: number }[]
  Aliases?: string[]
}

function distribution(synthesized = plain): Distribution {
  return synthesized.only('AWS::CloudFront::Distribution').Properties.DistributionConfig as Distribution
}

test('CloudFront passes everything and keeps nothing, but for the scripts', () => {
  const { DefaultCacheBehavior, CacheBehaviors, CustomErrorResponses } = distribution()
  expect(DefaultCacheBehavior.AllowedMethods).toHaveLength(7)
  expect(CacheBehaviors.map(({ PathPattern }) => PathPattern)).toEqual([
    routes.trackerJs.path,
    routes.trackerSource.path,
  ])
  // AllViewerExceptHostHeader: the API is found by its Host.
  expect(DefaultCacheBehavior.OriginRequestPolicyId).toBe('b689b0a8-53d0-40ab-baf2-68738e2966ac')
  const { CachePolicyConfig } = plain.only('AWS::CloudFront::CachePolicy').Properties as {
    CachePolicyConfig: Record<string, unknown>
  }
  expect(CachePolicyConfig).toMatchObject({ MinTTL: 0, DefaultTTL: 0, MaxTTL: 1 })
  expect(CachePolicyConfig.ParametersInCacheKeyAndForwardedToOrigin).toMatchObject({
    HeadersConfig: { Headers: ['Authorization', 'X-API-Key', 'Origin', 'CloudFront-Viewer-Country'] },
    QueryStringsConfig: { QueryStringBehavior: 'all' },
    CookiesConfig: { CookieBehavior: 'all' },
  })
  for (const { ErrorCachingMinTTL } of CustomErrorResponses) expect(ErrorCachingMinTTL).toBe(0)
})

test('a custom domain is the address of the service everywhere, and is entered where its zone is known', () => {
  const options = {
    domainName: 'stats.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1f0a',
  }
  const named = synthesize(options)
  const { Variables } = named.lambda('reports').properties.Environment as {
    Variables: Record<string, string>
  }
  expect(Variables.BASE_URL).toBe('https://stats.example.com')
  expect(named.template.Outputs.BaseUrl?.Value).toBe('https://stats.example.com')
  expect(distribution(named).Aliases).toEqual(['stats.example.com'])
  expect(named.all('AWS::Route53::RecordSet')).toEqual([])
  const entered = synthesize({ ...options, hostedZoneId: 'Z0123' }).all('AWS::Route53::RecordSet')
  expect(entered.map(([, { Properties }]) => [Properties.Name, Properties.Type])).toEqual([
    ['stats.example.com', 'A'],
    ['stats.example.com', 'AAAA'],
  ])
})

test('the command of the outputs calls the owner function', () => {
  const { Value } = plain.template.Outputs.MakeOwner as { Value: { 'Fn::Join': [string, (string | Ref)[]] } }
  const { id } = plain.lambda('owner')
  const text = Value['Fn::Join'][1].map(part => (typeof part === 'string' ? part : part.Ref)).join('')
  expect(text).toBe(`aws lambda invoke --region AWS::Region --function-name ${id} /dev/stdout`)
})

test('the dashboard is named after its region too, as an account has one of a name in all of them', () => {
  expect(plain.only('AWS::CloudWatch::Dashboard').Properties.DashboardName).toEqual({
    'Fn::Join': ['', ['Footfall-', { Ref: 'AWS::Region' }]],
  })
})

test('two stacks in one account share no name', () => {
  const other = synthesize({ stackName: 'Footfall-Staging' })
  const fixed = ({ all }: typeof plain) => [
    ...all('AWS::Athena::WorkGroup').map(([, { Properties }]) => Properties.Name),
    ...all('AWS::Glue::Database').map(
      ([, { Properties }]) => (Properties.DatabaseInput as { Name: string }).Name,
    ),
    ...all('AWS::Logs::LogGroup').flatMap(([, { Properties }]) => Properties.LogGroupName ?? []),
    ...all('AWS::CloudWatch::Dashboard').map(([, { Properties }]) =>
      JSON.stringify(Properties.DashboardName),
    ),
    ...all('AWS::CloudFront::CachePolicy').map(([, { Properties }]) => JSON.stringify(Properties)),
  ]
  expect(fixed(other).filter(name => fixed(plain).includes(name))).toEqual([])
})
