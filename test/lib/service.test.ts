import { App, Stack } from 'aws-cdk-lib'
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { MAINTENANCE } from '#aws/maintenance-settings'
import { toThrottleSettings } from '#lib/api'
import { shareConcurrency } from '#lib/concurrency'
import { readConfig } from '#lib/config'
import { ServiceFunction } from '#lib/function'
import { CORS } from '#schemas/cors'
import { type FunctionName, functions } from '#schemas/functions'
import type { Route } from '#schemas/route'
import { routeKeys, routes } from '#schemas/routes'
import { synthesize, synthesizeAnew } from './synthesized.ts'

/** The resources of the stack and their connections. */

const plain = synthesize()
const names = Object.keys(functions) as FunctionName[]

type Ref = { Ref: string }
type Arn = { 'Fn::GetAtt': [id: string, attribute: string] }

test('the same options give the same template', () => {
  expect(synthesizeAnew().template).toEqual(plain.template)
})

test('the stack is protected from deletion, unless the option says otherwise', () => {
  expect(plain.stack.terminationProtection).toBe(true)
  expect(synthesize({ terminationProtection: 'false' }).stack.terminationProtection).toBe(false)
})

test('the stack can be deployed to any account and region', () => {
  expect(plain.stack.account).toContain('${Token')
  expect(plain.stack.region).toContain('${Token')
  expect(plain.template).not.toHaveProperty('Mappings')
})

test.each(names)('%s has exactly the settings of its schema, with valid values', name => {
  const { Variables } = plain.lambda(name).properties.Environment as { Variables: Record<string, unknown> }
  expect(Object.keys(Variables).toSorted()).toEqual(Object.keys(functions[name].shape).toSorted())
  // A value that is not text is a reference, which CloudFormation resolves.
  const settings = Object.entries(Variables).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : 'reference',
  ])
  expect(functions[name].safeParse(Object.fromEntries(settings)).error).toBeUndefined()
})

test('the synthesis stops when the settings of a function differ from its schema', () => {
  const app = new App({ context: flags, builtinCloudFormationValidation: false })
  const stack = new Stack(app, 'Forgetful')
  const site = new ServiceFunction(stack, 'site', {
    name: 'site',
    folder: import.meta.dirname,
    config: readConfig({}),
  })
  site.set('TABLE_NAME', 'state')
  expect(() => app.synth()).toThrow(/site lacks its setting BASE_URL.*site has no setting TABLE_NAME/s)
})

test('functions run on Node 24 and arm64, beside the one with a browser, with a time limit and a memory size that a new account allows', () => {
  for (const name of names) {
    const { properties } = plain.lambda(name)
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: [name === 'scan' ? 'x86_64' : 'arm64'],
      Handler: 'index.handler',
    })
    expect(properties.Timeout).toBeGreaterThan(0)
    expect(properties.MemorySize).toBeGreaterThanOrEqual(256)
    // The limit of a new AWS account.
    expect(properties.MemorySize).toBeLessThanOrEqual(3008)
    // An account with 10 concurrent executions cannot reserve any.
    expect(properties).not.toHaveProperty('ReservedConcurrentExecutions')
  }
})

test('an update replaces the lake consumer before the function that writes to the stream', () => {
  const resource = (name: FunctionName) =>
    plain.all('AWS::Lambda::Function').find(([id]) => new RegExp(`^${name}Function`).test(id))
  expect(resource('track')?.[1].DependsOn).toContain(resource('lake')?.[0])
})

/** Returns the function of each route key. */
function functionsByRouteKey(): Record<string, string> {
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

test('every row of the routes table has a route to its function, and all other paths go to site', () => {
  // A streamed route is a behaviour of CloudFront instead.
  const rows = Object.values<Route>(routes)
    .filter(route => route.function !== 'stream')
    .flatMap(route => routeKeys(route).map(key => [key, route.function]))
  expect(functionsByRouteKey()).toEqual({ ...Object.fromEntries(rows), $default: 'site' })
  for (const [, { Properties }] of plain.all('AWS::ApiGatewayV2::Integration')) {
    expect(Properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' })
  }
})

test('the API answers preflight requests as the functions do, and its throttle is above the capacity of the stream', () => {
  expect(plain.only('AWS::ApiGatewayV2::Api').Properties.CorsConfiguration).toEqual({
    AllowOrigins: [CORS.origin],
    AllowMethods: CORS.methods,
    AllowHeaders: CORS.headers,
    ExposeHeaders: CORS.exposed,
    MaxAge: CORS.maxAgeSeconds,
  })
  // How the numbers follow from the options is the next test but one.
  const throttle = (context: Record<string, unknown>) =>
    synthesize(context).only('AWS::ApiGatewayV2::Stage').Properties.DefaultRouteSettings
  expect(throttle({})).toEqual({ ThrottlingRateLimit: 2_000, ThrottlingBurstLimit: 1_250 })
  expect(throttle({ shards: 4 })).toEqual({ ThrottlingRateLimit: 8_000, ThrottlingBurstLimit: 1_250 })
  expect(throttle({ concurrency: 10 })).toEqual({ ThrottlingRateLimit: 160, ThrottlingBurstLimit: 16 })
})

test('an API in front of an on-demand stream has no throttle, because that stream grows', () => {
  const { Properties } = synthesize({ streamMode: 'on-demand', edge: false }).only('AWS::ApiGatewayV2::Stage')
  expect(Properties.DefaultRouteSettings).toBeUndefined()
})

test.each<[Record<string, unknown>, object | undefined]>([
  [{}, { rateLimit: 2_000, burstLimit: 1_250 }],
  [{ shards: 4 }, { rateLimit: 8_000, burstLimit: 1_250 }],
  // Five shards need 10,000 requests a second, the limit of an AWS account.
  [{ shards: 5 }, undefined],
  [{ requestsPerSecond: 20 }, { rateLimit: 20, burstLimit: 20 }],
  [{ streamMode: 'on-demand' }, undefined],
  [
    { streamMode: 'on-demand', requestsPerSecond: 12_000 },
    { rateLimit: 12_000, burstLimit: 1_250 },
  ],
  // Four of ten executions are left for requests, each for 25 ms.
  [{ concurrency: 10 }, { rateLimit: 160, burstLimit: 16 }],
  [{ concurrency: 1_000 }, { rateLimit: 2_000, burstLimit: 1_250 }],
  [
    { concurrency: 10, requestsPerSecond: 20 },
    { rateLimit: 20, burstLimit: 16 },
  ],
])('the throttle of the API with the options %o is %o', (context, expected) => {
  const config = readConfig(context)
  const perSecond = config.streamMode === 'on-demand' ? null : 1_000 * (config.shards ?? 1)
  expect(toThrottleSettings(config, perSecond, shareConcurrency(config).requests)).toEqual(expected)
})

test('Lambda retries the batches of the lake consumer without limit, and stores a batch that it gives up', () => {
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
  // Without the rights of its role, AWS refuses the mapping.
  expect(mapping?.DependsOn?.join()).toMatch(/lakeRoleDefaultPolicy/)
})

test('Lambda calls the live consumer about once a second, tries a batch a few times, and drops what is a minute old', () => {
  const [, mapping] = plain.all('AWS::Lambda::EventSourceMapping').find(([id]) => id.startsWith('live')) ?? []
  expect(mapping?.Properties).toMatchObject({
    StartingPosition: 'LATEST',
    MaximumRetryAttempts: 2,
    MaximumRecordAgeInSeconds: 60,
    ParallelizationFactor: 1,
    MaximumBatchingWindowInSeconds: 0,
  })
  expect(mapping?.Properties).not.toHaveProperty('DestinationConfig')
  expect(mapping?.DependsOn?.join()).toMatch(/liveRoleDefaultPolicy/)
})

test('a worker ends before SQS delivers its job to another worker', () => {
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
  // All tries of a job are over before maintenance sends the job again.
  expect(tries * Number(jobs?.Properties.VisibilityTimeout)).toBeLessThan(MAINTENANCE.resendMs / 1_000)
  const { Variables } = Environment as { Variables: Record<string, string> }
  expect(Number(Variables.COMPACTION_MEMORY_MB)).toBeLessThan(Number(MemorySize) - 512)
})

test('Athena answers all reads by default; with reads=auto their functions have memory for DuckDB', () => {
  const memoryOf = (stack: typeof plain, name: FunctionName) => {
    const { MemorySize, EphemeralStorage, Environment } = stack.lambda(name).properties
    const { Variables } = Environment as { Variables: Record<string, string> }
    return { MemorySize, EphemeralStorage, ofDuckdb: Number(Variables.READS_MEMORY_MB) }
  }
  for (const name of ['reports', 'mcp'] as const) {
    expect(memoryOf(plain, name)).toEqual({ MemorySize: 512, ofDuckdb: 0 })
    const { MemorySize, EphemeralStorage, ofDuckdb } = memoryOf(synthesize({ reads: 'auto' }), name)
    expect(EphemeralStorage).toEqual({ Size: 2_048 })
    expect(ofDuckdb).toBeGreaterThan(0)
    expect(ofDuckdb).toBeLessThan(Number(MemorySize) - 512)
  }
})

test('the scheduler runs every minute, ends before its lease, and is not retried after a failure', () => {
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

test.each<[string, Record<string, string>, string[]]>([
  ['the pages', { openIdIssuer: 'https://login.example.com', openIdClientId: 'footfall' }, ['pages']],
  [
    'with payments also the scheduler, which ends subscriptions,',
    { profile: 'hosted', stripePrice: 'price_1' },
    ['pages', 'scheduler'],
  ],
])('%s may read the secret of the providers, and no other function may', (_, options, readers) => {
  const accessSecretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:footfall-AbCdEf'
  const withProviders = synthesize({ accessSecretArn, ...options })
  const policies = withProviders
    .all('AWS::IAM::Policy')
    .filter(([, policy]) => JSON.stringify(policy).includes(accessSecretArn))
  expect(policies.map(([id]) => id.replace(/RoleDefaultPolicy.*/, ''))).toEqual(readers)
  const keyReaders = plain
    .all('AWS::IAM::Policy')
    .filter(([, policy]) => JSON.stringify(policy).includes('secretsmanager:'))
  // The key of the e-mail index.
  expect(keyReaders.map(([id]) => id.replace(/RoleDefaultPolicy.*/, ''))).toEqual(['track', 'reports', 'mcp'])
})

test('the command in the output MakeOwner calls the owner function', () => {
  const { Value } = plain.template.Outputs.MakeOwner as { Value: { 'Fn::Join': [string, (string | Ref)[]] } }
  const { id } = plain.lambda('owner')
  const text = Value['Fn::Join'][1].map(part => (typeof part === 'string' ? part : part.Ref)).join('')
  expect(text).toBe(`aws lambda invoke --region AWS::Region --function-name ${id} /dev/stdout`)
})

test('the command in the output RestoreLake calls the restore function once, and waits for it', () => {
  const { Value } = plain.template.Outputs.RestoreLake as {
    Value: { 'Fn::Join': [string, (string | Ref)[]] }
  }
  const { id, properties } = plain.lambda('restore')
  const text = Value['Fn::Join'][1].map(part => (typeof part === 'string' ? part : part.Ref)).join('')
  expect(text).toMatch(/^AWS_MAX_ATTEMPTS=1 aws lambda invoke .*\/dev\/stdout$/)
  expect(text).toContain(`--function-name ${id} `)
  const waits = Number(/--cli-read-timeout (\d+)/.exec(text)?.[1])
  expect(waits).toBeGreaterThan(Number(properties.Timeout))
})
