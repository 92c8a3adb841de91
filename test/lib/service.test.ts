import { App, Stack } from 'aws-cdk-lib'
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { MAINTENANCE } from '#aws/maintenance-settings'
import { STREAM_DEFAULTS } from '#core/live/event-stream'
import { catalogName } from '#lib/catalog'
import { shareConcurrency } from '#lib/concurrency'
import { readConfig } from '#lib/config'
import { ServiceFunction } from '#lib/function'
import { CORS } from '#schemas/cors'
import { type FunctionName, functions } from '#schemas/functions'
import type { Route } from '#schemas/route'
import { routeKeys, routes } from '#schemas/routes'
import { synthesize } from './synthesized.ts'

/** The resources of the stack and their connections. */

const plain = synthesize()
const names = Object.keys(functions) as FunctionName[]

type Ref = { Ref: string }
type Arn = { 'Fn::GetAtt': [id: string, attribute: string] }

test('the same options give the same template', () => {
  expect(synthesize().template).toEqual(plain.template)
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

test('functions run on Node 24 and arm64, with a time limit and a memory size that a new account allows', () => {
  for (const name of names) {
    const { properties } = plain.lambda(name)
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
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
    MaxAge: CORS.maxAgeSeconds,
  })
  const throttle = (context: Record<string, unknown>) =>
    synthesize(context).only('AWS::ApiGatewayV2::Stage').Properties.DefaultRouteSettings
  expect(throttle({})).toEqual({ ThrottlingRateLimit: 2_000, ThrottlingBurstLimit: 1_250 })
  expect(throttle({ shards: 4 })).toEqual({ ThrottlingRateLimit: 8_000, ThrottlingBurstLimit: 1_250 })
  // Five shards need 10,000 requests a second, the limit of an AWS account.
  expect(throttle({ shards: 5 })).toBeUndefined()
  expect(throttle({ requestsPerSecond: 20 })).toEqual({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 20 })
  const withOption = { streamMode: 'on-demand', requestsPerSecond: 12_000 }
  expect(throttle(withOption)).toEqual({ ThrottlingRateLimit: 12_000, ThrottlingBurstLimit: 1_250 })
  // Four of ten executions are left for requests, each for 25 ms.
  expect(throttle({ concurrency: 10 })).toEqual({ ThrottlingRateLimit: 160, ThrottlingBurstLimit: 16 })
  expect(throttle({ concurrency: 1_000 })).toEqual({
    ThrottlingRateLimit: 2_000,
    ThrottlingBurstLimit: 1_250,
  })
  expect(throttle({ concurrency: 10, requestsPerSecond: 20 })).toEqual({
    ThrottlingRateLimit: 20,
    ThrottlingBurstLimit: 16,
  })
})

test('an API in front of an on-demand stream has no throttle, because that stream grows', () => {
  const { Properties } = synthesize({ streamMode: 'on-demand' }).only('AWS::ApiGatewayV2::Stage')
  expect(Properties.DefaultRouteSettings).toBeUndefined()
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

type Behavior = {
  PathPattern?: string
  CachePolicyId: unknown
  AllowedMethods: string[]
  [name: string]: unknown
}
type Origin = {
  Id: string
  DomainName: unknown
  CustomOriginConfig: { OriginReadTimeout: number }
  OriginCustomHeaders: unknown[]
}

type Distribution = {
  DefaultCacheBehavior: Behavior
  CacheBehaviors: Behavior[]
  CustomErrorResponses: { ErrorCachingMinTTL: number }[]
  Origins: Origin[]
  Aliases?: string[]
}

function distribution(synthesized = plain): Distribution {
  return synthesized.only('AWS::CloudFront::Distribution').Properties.DistributionConfig as Distribution
}

test('CloudFront passes all requests to the API and caches only the scripts', () => {
  const { DefaultCacheBehavior, CacheBehaviors, CustomErrorResponses } = distribution()
  expect(DefaultCacheBehavior.AllowedMethods).toHaveLength(7)
  expect(CacheBehaviors.map(({ PathPattern }) => PathPattern)).toEqual([
    routes.trackerJs.path,
    '/tracker/*',
    routes.trackerSource.path,
    routes.experimentsConfig.path,
    routes.track.path,
    routes.trackBatch.path,
    routes.identify.path,
    routes.stream.path,
  ])
  // AllViewerExceptHostHeader, because API Gateway finds the API by its own host name.
  expect(DefaultCacheBehavior.OriginRequestPolicyId).toBe('b689b0a8-53d0-40ab-baf2-68738e2966ac')
  const cookies = ['all', 'none']
  const [ofExperiments, ...policies] = plain
    .all('AWS::CloudFront::CachePolicy')
    .toSorted(([a], [b]) => (a.includes('Experiments') ? -1 : b.includes('Experiments') ? 1 : 0))
  expect(ofExperiments![1].Properties).toMatchObject({
    CachePolicyConfig: {
      MaxTTL: 60,
      ParametersInCacheKeyAndForwardedToOrigin: {
        HeadersConfig: { HeaderBehavior: 'none' },
        QueryStringsConfig: { QueryStringBehavior: 'whitelist', QueryStrings: ['token'] },
        CookiesConfig: { CookieBehavior: 'none' },
      },
    },
  })
  expect(policies).toHaveLength(cookies.length)
  for (const [i, [, { Properties }]] of policies.entries()) {
    const { CachePolicyConfig } = Properties as { CachePolicyConfig: Record<string, unknown> }
    expect(CachePolicyConfig).toMatchObject({ MinTTL: 0, DefaultTTL: 0, MaxTTL: 1 })
    expect(CachePolicyConfig.ParametersInCacheKeyAndForwardedToOrigin).toMatchObject({
      HeadersConfig: { Headers: ['Authorization', 'X-API-Key', 'Origin', 'CloudFront-Viewer-Country'] },
      QueryStringsConfig: { QueryStringBehavior: 'all' },
      CookiesConfig: { CookieBehavior: cookies[i] },
    })
  }
  for (const { ErrorCachingMinTTL } of CustomErrorResponses) expect(ErrorCachingMinTTL).toBe(0)
})

test('CloudFront passes streams to the URL of their function, and waits longer than the pause between heartbeats', () => {
  const { CacheBehaviors, DefaultCacheBehavior, Origins } = distribution()
  const behavior = CacheBehaviors.find(({ PathPattern }) => PathPattern === routes.stream.path)
  expect(behavior).toMatchObject({
    Compress: false,
    // The credentials and all other headers but Host.
    CachePolicyId: DefaultCacheBehavior.CachePolicyId,
    OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
  })
  const origin = Origins.find(({ Id }) => Id === behavior?.TargetOriginId)
  expect(JSON.stringify(origin?.DomainName)).toContain('Streaming')
  expect(origin?.CustomOriginConfig.OriginReadTimeout).toBeGreaterThan(STREAM_DEFAULTS.heartbeatMs / 1_000)
  for (const { OriginCustomHeaders } of Origins)
    expect(OriginCustomHeaders).toMatchObject([{ HeaderName: 'X-Footfall-Edge' }])
  expect(plain.only('AWS::Lambda::Url').Properties).toMatchObject({
    AuthType: 'NONE',
    InvokeMode: 'RESPONSE_STREAM',
  })
})

test('the function at the edge tells the host of the request, whatever header the caller sends', () => {
  const { FunctionCode, FunctionConfig } = plain.only('AWS::CloudFront::Function').Properties as {
    FunctionCode: string
    FunctionConfig: { Runtime: string }
  }
  expect(FunctionConfig.Runtime).toBe('cloudfront-js-2.0')
  const handle = new Function(`${FunctionCode}; return handler`)()
  const headers = {
    host: { value: 'stats.example.com' },
    authorization: { value: 'Bearer aas_1' },
    'x-footfall-host': { value: 'evil.example' },
  }
  expect(handle({ request: { uri: '/stream', headers } })).toEqual({
    uri: '/stream',
    headers: { ...headers, 'x-footfall-host': { value: 'stats.example.com' } },
  })
})

test('CloudFront takes the cookies off ingestion', () => {
  const { CacheBehaviors } = distribution()
  const { OriginRequestPolicyConfig } = plain.only('AWS::CloudFront::OriginRequestPolicy').Properties as {
    OriginRequestPolicyConfig: unknown
  }
  expect(OriginRequestPolicyConfig).toMatchObject({ CookiesConfig: { CookieBehavior: 'none' } })
  const [id] = plain.all('AWS::CloudFront::OriginRequestPolicy')[0] ?? []
  for (const path of [routes.track.path, routes.trackBatch.path]) {
    const behavior = CacheBehaviors.find(({ PathPattern }) => PathPattern === path)
    expect(behavior).toMatchObject({ OriginRequestPolicyId: { Ref: id } })
  }
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

test('a custom domain is the base URL of all functions, and has DNS records when its zone is an option', () => {
  const options = {
    domainName: 'stats.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1f0a',
  }
  const withDomain = synthesize(options)
  const { Variables } = withDomain.lambda('reports').properties.Environment as {
    Variables: Record<string, string>
  }
  expect(Variables.BASE_URL).toBe('https://stats.example.com')
  expect(withDomain.template.Outputs.BaseUrl?.Value).toBe('https://stats.example.com')
  expect(distribution(withDomain).Aliases).toEqual(['stats.example.com'])
  expect(withDomain.all('AWS::Route53::RecordSet')).toEqual([])
  const records = synthesize({ ...options, hostedZoneId: 'Z0123' }).all('AWS::Route53::RecordSet')
  expect(records.map(([, { Properties }]) => [Properties.Name, Properties.Type])).toEqual([
    ['stats.example.com', 'A'],
    ['stats.example.com', 'AAAA'],
  ])
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

test('the dashboard is an option, and its name includes the region, because dashboards are global in an account', () => {
  expect(plain.all('AWS::CloudWatch::Dashboard')).toEqual([])
  const { only } = synthesize({ dashboard: true })
  expect(only('AWS::CloudWatch::Dashboard').Properties.DashboardName).toEqual({
    'Fn::Join': ['', ['Footfall-', { Ref: 'AWS::Region' }]],
  })
})

test('two stacks in one account share no resource name', () => {
  const first = synthesize({ dashboard: true })
  const other = synthesize({ dashboard: true, stackName: 'Footfall-Staging' })
  const fixedNames = ({ all }: typeof plain) => [
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
  expect(fixedNames(other).filter(name => fixedNames(first).includes(name))).toEqual([])
})

test('every behaviour of CloudFront adds CORS, HSTS, nosniff and a referrer policy, and what a function sends about CORS wins', () => {
  const { DefaultCacheBehavior, CacheBehaviors } = distribution()
  const [id] = plain.all('AWS::CloudFront::ResponseHeadersPolicy')[0] ?? []
  for (const { ResponseHeadersPolicyId } of [DefaultCacheBehavior, ...CacheBehaviors])
    expect(ResponseHeadersPolicyId).toEqual({ Ref: id })
  const { ResponseHeadersPolicyConfig } = plain.only('AWS::CloudFront::ResponseHeadersPolicy').Properties
  expect(ResponseHeadersPolicyConfig).toMatchObject({
    CorsConfig: {
      AccessControlAllowOrigins: { Items: ['*'] },
      AccessControlAllowCredentials: false,
      OriginOverride: false,
    },
    SecurityHeadersConfig: {
      StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, Override: true },
      ContentTypeOptions: { Override: true },
      ReferrerPolicy: { ReferrerPolicy: 'strict-origin-when-cross-origin', Override: false },
    },
  })
})

test('the name of every resource that is global in an account has the region and the stack, and fits its limit', () => {
  const stackName = `A${'a'.repeat(40)}`
  const { all } = synthesize({ stackName, dashboard: true })
  const names = [
    ...all('AWS::CloudFront::CachePolicy').map(([, { Properties }]) => Properties.CachePolicyConfig),
    ...all('AWS::CloudFront::OriginRequestPolicy').map(
      ([, { Properties }]) => Properties.OriginRequestPolicyConfig,
    ),
    ...all('AWS::CloudFront::ResponseHeadersPolicy').map(
      ([, { Properties }]) => Properties.ResponseHeadersPolicyConfig,
    ),
    ...all('AWS::CloudFront::Function').map(([, { Properties }]) => Properties),
  ].map(config => (config as { Name: { 'Fn::Join': [string, (string | Ref)[]] } }).Name)
  expect(names).toHaveLength(6)
  for (const name of names) {
    const parts = name['Fn::Join'][1]
    expect(parts).toContainEqual({ Ref: 'AWS::Region' })
    const text = parts.map(part => (typeof part === 'string' ? part : 'ap-southeast-1')).join('')
    expect(text).toContain(stackName)
    // The limits of functions, and of policies.
    expect(text.length).toBeLessThanOrEqual(text.endsWith('-host') ? 64 : 128)
    expect(text).toMatch(/^[\w-]+$/)
  }
  expect(new Set(names.map(name => JSON.stringify(name))).size).toBe(names.length)
})

test('names of stacks that differ only in capital letters have catalogs of their own', () => {
  const stackNames = [
    'A-b',
    'a-B',
    'A-B',
    'a-b',
    'AB',
    'Ab',
    'Footfall',
    'footfall',
    'Footfall-2',
    'Footfall-Staging',
  ]
  const catalogs = stackNames.map(catalogName)
  expect(new Set(catalogs).size).toBe(stackNames.length)
  for (const name of catalogs) expect(name).toMatch(/^[a-z0-9_]+$/)
  expect([catalogName('Footfall'), catalogName('Footfall-Staging')]).toEqual(['footfall', 'footfall_staging'])
  const { only } = synthesize({ stackName: 'a-B' })
  expect(only('AWS::Athena::WorkGroup').Properties.Name).toBe(catalogName('a-B'))
})

const httpFunctions = names.filter(name => 'EDGE_KEY' in functions[name].shape)

/** The text of a value with references to secrets. */
const joined = (value: unknown) => JSON.stringify(value)

test('CloudFront sends a generated secret, and every HTTP function demands it', () => {
  expect(httpFunctions).toEqual(['track', 'reports', 'stream', 'control', 'auth', 'mcp', 'site', 'pages'])
  const secrets = plain.all('AWS::SecretsManager::Secret').filter(([id]) => id.startsWith('EdgeKeys'))
  expect(secrets).toHaveLength(1)
  expect(secrets[0]![1]).toMatchObject({
    Properties: { GenerateSecretString: { PasswordLength: 48 } },
    DeletionPolicy: 'Delete',
  })
  const sent = distribution().Origins.map(({ OriginCustomHeaders }) => joined(OriginCustomHeaders))
  expect(sent).toHaveLength(2)
  for (const header of sent) expect(header).toContain('{{resolve:secretsmanager:')
  for (const name of httpFunctions) {
    const { Variables } = plain.lambda(name).properties.Environment as { Variables: Record<string, unknown> }
    expect(joined(Variables.EDGE_KEY)).toContain(secrets[0]![0])
    expect(sent[0]).toContain(joined(Variables.EDGE_KEY))
  }
})

test('while the key is replaced CloudFront sends the first one, and the functions accept both', () => {
  const both = synthesize({ edgeKeys: '1,2' })
  const [first, second] = both
    .all('AWS::SecretsManager::Secret')
    .map(([id]) => id)
    .filter(id => id.startsWith('EdgeKeys'))
  for (const { OriginCustomHeaders } of distribution(both).Origins) {
    expect(joined(OriginCustomHeaders)).toContain(first)
    expect(joined(OriginCustomHeaders)).not.toContain(second)
  }
  const { Variables } = both.lambda('track').properties.Environment as { Variables: Record<string, unknown> }
  expect(joined(Variables.EDGE_KEY)).toMatch(new RegExp(`${first}.*,.*${second}`))
  // The key of the next deployment is the same secret.
  const after = synthesize({ edgeKeys: '2' }).all('AWS::SecretsManager::Secret')
  expect(after.map(([id]) => id)).toContain(second)
})

test('without the edge there is no CloudFront: the API and the URL of the streams are the addresses, and functions demand no key', () => {
  const direct = synthesize({ edge: false })
  for (const type of [
    'Distribution',
    'CachePolicy',
    'OriginRequestPolicy',
    'ResponseHeadersPolicy',
    'Function',
  ])
    expect(direct.all(`AWS::CloudFront::${type}`)).toEqual([])
  expect(Object.keys(direct.template.Outputs)).toContain('StreamUrl')
  expect(Object.keys(direct.template.Outputs)).not.toContain('CloudFrontName')
  expect(joined(direct.template.Outputs.BaseUrl?.Value)).toMatch(/https:.*ApiHttp.*execute-api/)
  for (const name of httpFunctions) {
    const { Variables } = direct.lambda(name).properties.Environment as { Variables: Record<string, unknown> }
    expect(Variables.EDGE_KEY).toBe('')
  }
  const { Variables } = direct.lambda('track').properties.Environment as {
    Variables: Record<string, unknown>
  }
  // Anybody could send the header.
  expect(Variables.COUNTRY_HEADER).toBe('')
})

test.each([
  ['not given', {}, { jobs: 4, track: undefined, limits: '' }],
  ['10, as of a new account', { concurrency: 10 }, { jobs: 2, track: undefined, limits: 'open_streams=1' }],
  ['1,000', { concurrency: 1000 }, { jobs: 4, track: 200, limits: '' }],
  // AWS keeps 100 for functions without a reservation.
  ['120', { concurrency: 120 }, { jobs: 4, track: undefined, limits: '' }],
  ['125', { concurrency: 125 }, { jobs: 4, track: 25, limits: '' }],
  [
    '10 with options of their own',
    { concurrency: 10, jobConcurrency: 3, limits: 'open_streams=4' },
    { jobs: 3, track: undefined, limits: 'open_streams=4' },
  ],
])(
  'with a concurrency that is %s, ingestion keeps executions, and the others fit',
  (_, context, expected) => {
    expect(shareConcurrency(readConfig(context))).toMatchObject(expected)
  },
)

test('workers, reservation and streams of the template follow the concurrency of the account', () => {
  const read = (context: Record<string, unknown>) => {
    const { lambda, all } = synthesize(context)
    const [, mapping] = all('AWS::Lambda::EventSourceMapping').find(([id]) => id.startsWith('jobs')) ?? []
    const { Variables } = lambda('stream').properties.Environment as { Variables: Record<string, unknown> }
    return [
      mapping?.Properties.ScalingConfig,
      lambda('track').properties.ReservedConcurrentExecutions,
      Variables.LIMITS,
    ]
  }
  expect(read({ concurrency: 10 })).toEqual([{ MaximumConcurrency: 2 }, undefined, 'open_streams=1'])
  expect(read({ concurrency: 1000 })).toEqual([{ MaximumConcurrency: 4 }, 200, ''])
})
