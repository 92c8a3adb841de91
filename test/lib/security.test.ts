import { Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { expect, test } from 'vitest'
import { type FunctionName, functions } from '#schemas/functions'
import { synthesize } from './synthesized.ts'

/** The rights, the encryption and the secrets of the stack. */

const plain = synthesize()
const full = synthesize({
  tracing: true,
  domainName: 'stats.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1f0a',
  hostedZoneId: 'Z0123',
  webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/web/1f0a',
  alarmEmail: 'ops@example.com',
  monthlyBudgetUsd: 100,
  streamMode: 'on-demand',
  backupDays: 35,
  replicaBucketArn: 'arn:aws:s3:::copies',
  accessLogBucketArn: 'arn:aws:s3:::audit-logs',
})

/** The prefixes of the tables of segments, sorted. */
const SEGMENT_PREFIXES = ['segments/activity', 'segments/event-ids', 'segments/events', 'segments/sessions']

type Statement = {
  Effect: string
  Action: string | string[]
  Resource: unknown
  Principal?: unknown
  Condition?: Record<string, unknown>
}

function statements(policy: unknown): Statement[] {
  return (policy as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement
}

function list<T>(value: T | T[]): T[] {
  return Array.isArray(value) ? value : [value]
}

/**
 * All rights of a function, such as `s3:GetObject StorageLake/hot/*`: the action, then the resource without
 * its hash.
 */
function rights(name: string, { all } = plain): string[] {
  const policy = all('AWS::IAM::Policy').find(([id]) => id.startsWith(`${name}Role`))?.[1]
  return statements(policy?.Properties)
    .flatMap(({ Action, Resource }) =>
      list(Action).flatMap(action => list(Resource).map(resource => `${action} ${resourceName(resource)}`)),
    )
    .toSorted()
}

/** Returns an ARN without its account and region, and a logical id without its hash. */
function resourceName(resource: unknown): string {
  const { 'Fn::GetAtt': attribute, 'Fn::Join': join } = resource as Record<string, [string, unknown[]]>
  const { Ref: reference } = resource as { Ref?: string }
  if (reference?.startsWith('Storage')) return reference.replace(/[0-9A-F]{8}$/, '')
  if (attribute !== undefined) return (attribute as unknown as string[])[0]?.replace(/[0-9A-F]{8}$/, '') ?? ''
  if (join === undefined) return String(resource)
  const parts = join[1].map(part => (typeof part === 'string' ? part : resourceName(part)))
  return parts
    .join('')
    .replace(/^arn:.*::/, '')
    .replace(/^.*\[object Object\]:/, '')
}

test('cdk-nag reports no finding that is not accepted with a reason', () => {
  for (const { stack } of [plain, full]) {
    expect(new AwsSolutionsChecks().validateScope(stack).violations).toEqual([])
  }
})

test('every accepted finding of cdk-nag has a whole sentence as its reason', () => {
  const key = Validations.ACKNOWLEDGED_RULES_METADATA_KEY
  const reasons = plain.stack.node
    .findAll()
    .flatMap(({ node }) => node.metadata.filter(({ type }) => type === key))
    .flatMap(({ data }) => Object.values(data as Record<string, string>))
  expect(reasons.length).toBeGreaterThan(10)
  for (const reason of reasons) expect(reason).toMatch(/^[A-Z].{40,}[^ ]$/s)
})

const EMAIL_KEY_RIGHT = 'secretsmanager:GetSecretValue StorageEmailKey'
/** Of the state table, without batches of writes and scans. */
const ALL_ITEMS = ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem']
const READ_STREAM = [
  'kinesis:DescribeStream StreamEvents',
  'kinesis:DescribeStreamSummary StreamEvents',
  'kinesis:GetRecords StreamEvents',
  'kinesis:GetShardIterator StreamEvents',
  'kinesis:ListShards StreamEvents',
  'kinesis:ListStreams StreamEvents',
]

test.each([
  [
    'track',
    ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'],
    ['kinesis:PutRecords StreamEvents', EMAIL_KEY_RIGHT],
  ],
  ['site', [], []],
  ['stream', ALL_ITEMS, []],
  ['live', ['BatchWriteItem'], READ_STREAM],
  [
    'control',
    ALL_ITEMS,
    [
      ...['exports', 'manifests'].map(prefix => `s3:GetObject StorageLake/${prefix}/*`),
      's3:DeleteObject StorageLake/exports/*',
      'sqs:SendMessage JobQueueJobsQueue',
    ],
  ],
  [
    'replay',
    ALL_ITEMS,
    [
      's3:DeleteObject StorageLake/replays/*',
      's3:GetObject StorageLake/replays/*',
      's3:ListBucket StorageLake',
      's3:PutObject StorageLake/replays/*',
    ],
  ],
  ['auth', ALL_ITEMS, []],
  ['pages', ALL_ITEMS, []],
  ['owner', ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'], ['kinesis:PutRecords StreamEvents']],
  [
    'lake',
    ALL_ITEMS,
    [
      ...READ_STREAM,
      'kinesis:PutRecords StreamEvents',
      ...['quarantine', 'waiting'].map(prefix => `s3:DeleteObject StorageLake/${prefix}/*`),
      ...['hot', 'quarantine', 'waiting'].map(prefix => `s3:GetObject StorageLake/${prefix}/*`),
      's3:ListBucket StorageLake',
      's3:ListBucket StorageLake',
      's3:PutObject StorageLake/aws/lambda/*',
      ...['hot', 'hot-identity', 'quarantine', 'waiting'].map(
        prefix => `s3:PutObject StorageLake/${prefix}/*`,
      ),
    ],
  ],
  [
    'jobs',
    ['BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'],
    [
      ...['exports', 'hot', 'hot-identity', 'links', 'manifests', ...SEGMENT_PREFIXES, 'tombstones'].flatMap(
        prefix => [`s3:DeleteObject StorageLake/${prefix}/*`, `s3:GetObject StorageLake/${prefix}/*`],
      ),
      's3:ListBucket StorageLake',
      // It writes traits files from the state, and reads none.
      's3:DeleteObject StorageLake/traits/*',
      ...['exports', 'hot', 'links', 'manifests', ...SEGMENT_PREFIXES, 'tombstones', 'traits'].map(
        prefix => `s3:PutObject StorageLake/${prefix}/*`,
      ),
      'lambda:InvokeFunction scanFunction',
      'sqs:DeleteMessage JobQueueJobsQueue',
      'sqs:GetQueueAttributes JobQueueJobsQueue',
      'sqs:ReceiveMessage JobQueueJobsQueue',
      // A long export goes on in another job.
      'sqs:SendMessage JobQueueJobsQueue',
    ],
  ],
  // It reads pages of strangers.
  ['scan', [], []],
  [
    'restore',
    ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'],
    [
      ...READ_STREAM,
      ...['hot', 'manifests', 'quarantine', ...SEGMENT_PREFIXES, 'tombstones', 'waiting'].map(
        prefix => `s3:GetObject StorageLake/${prefix}/*`,
      ),
      's3:ListBucket StorageLake',
      ...['hot', 'hot-identity', 'links', 'manifests', 'quarantine', 'tombstones', 'waiting'].map(
        prefix => `s3:PutObject StorageLake/${prefix}/*`,
      ),
    ],
  ],
  [
    'scheduler',
    ['BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
    [
      's3:ListBucket StorageLake',
      's3:GetObject StorageLake/manifests/*',
      ...['manifests', 'tombstones'].map(prefix => `s3:PutObject StorageLake/${prefix}/*`),
      's3:DeleteObject StorageLake/exports/*',
      's3:DeleteObject StorageLake/replays/*',
      'sqs:SendMessage JobQueueJobsQueue',
      ...[
        'DecreaseStreamRetentionPeriod',
        'DescribeStreamSummary',
        'GetRecords',
        'GetShardIterator',
        'IncreaseStreamRetentionPeriod',
        'ListShards',
      ].map(action => `kinesis:${action} StreamEvents`),
    ],
  ],
] as const)('%s has the rights that its code uses and no others', (name, tableActions, otherRights) => {
  const log = [`logs:CreateLogStream ${name}Log`, `logs:PutLogEvents ${name}Log`]
  const state = tableActions.map(action => `dynamodb:${action} StorageState`)
  expect(rights(name)).toEqual([...state, ...otherRights, ...log].toSorted())
})

test('reports reads only the lake, one database and one workgroup, writes only links files, manifests and tombstones, and deletes only replays', () => {
  const granted = rights('reports')
  expect(granted.filter(right => /^s3:(Put|Delete)/.test(right))).toEqual([
    's3:DeleteObject StorageLake/replays/*',
    's3:PutObject StorageLake/links/*',
    's3:PutObject StorageLake/manifests/*',
    's3:PutObject StorageLake/tombstones/*',
  ])
  const prefixes = ['hot', 'links', 'manifests', ...SEGMENT_PREFIXES, 'tombstones', 'traits']
  expect(granted.filter(right => right.startsWith('s3:GetObject'))).toEqual(
    prefixes.map(prefix => `s3:GetObject StorageLake/${prefix}/*`),
  )
  const athena = granted.filter(right => right.startsWith('athena:'))
  expect(new Set(athena.map(right => right.split(' ')[1]))).toEqual(new Set(['workgroup/footfall']))
  const changing = granted.filter(right => /^(glue|athena):(?!Get|Start|Stop)/.test(right))
  expect(changing).toEqual([])
})

test('no right covers all actions or all resources, except for X-Ray, which has no resource-level permissions', () => {
  const wideActions = ({ all }: typeof plain) =>
    all('AWS::IAM::Policy').flatMap(([, { Properties }]) =>
      statements(Properties)
        .filter(
          ({ Action, Resource }) => list(Action).some(a => a.includes('*')) || list(Resource).includes('*'),
        )
        .flatMap(({ Action }) => Action),
    )
  expect(wideActions(plain)).toEqual([])
  expect(new Set(wideActions(full))).toEqual(new Set(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']))
})

test('only the service that uses a role may assume it, and no role has managed policies', () => {
  for (const [id, { Properties }] of plain.all('AWS::IAM::Role')) {
    expect(Properties.ManagedPolicyArns, id).toBeUndefined()
    const trust = Properties.AssumeRolePolicyDocument as { Statement: Statement[] }
    const service = id.startsWith('Clock') ? 'scheduler.amazonaws.com' : 'lambda.amazonaws.com'
    expect(trust.Statement.map(({ Principal }) => Principal)).toEqual([{ Service: service }])
  }
})

test('the S3 bucket can be listed under named prefixes only', () => {
  const listings = plain
    .all('AWS::IAM::Policy')
    .flatMap(([, { Properties }]) => statements(Properties))
    .filter(({ Action }) => list(Action).includes('s3:ListBucket'))
  expect(listings.length).toBe(10)
  // Lambda itself checks one of these rights, perhaps without a prefix.
  expect(listings.filter(({ Condition }) => Condition?.StringLikeIfExists)).toHaveLength(1)
  for (const { Condition } of listings) {
    expect(Object.keys(Condition ?? {}).join()).toMatch(/^StringLike(IfExists)?$/)
    const prefixes = Object.values(Condition ?? {}).flatMap(
      keys => (keys as { 's3:prefix': string[] })['s3:prefix'],
    )
    for (const prefix of prefixes) expect(prefix).toMatch(/^[a-z][a-z/-]+\/\*$/)
  }
})

test('the policies of the S3 bucket and the queues allow only this account, and only with TLS', () => {
  const guarded = ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy'].flatMap(plain.all)
  expect(guarded).toHaveLength(plain.all('AWS::S3::Bucket').length + plain.all('AWS::SQS::Queue').length)
  for (const [id, { Properties }] of guarded) {
    const policy = statements(Properties)
    const isTls = ({ Effect, Condition }: Statement) =>
      Effect === 'Deny' && JSON.stringify(Condition) === '{"Bool":{"aws:SecureTransport":"false"}}'
    expect(policy.some(isTls), id).toBe(true)
    for (const { Condition } of policy.filter(({ Effect }) => Effect === 'Allow')) {
      expect(Condition).toEqual({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } })
    }
  }
})

/** Permissions of the URL of the streaming function, which is open to everybody. */
function isOfFunctionUrl({ Principal }: Record<string, unknown>): boolean {
  return Principal === '*'
}

test('everybody may call the URL of the streaming function, and nothing but this URL', () => {
  const callers = plain.all('AWS::Lambda::Permission').map(([, { Properties }]) => Properties)
  const open = callers.filter(isOfFunctionUrl)
  expect(open.map(({ Action }) => Action).toSorted()).toEqual([
    'lambda:InvokeFunction',
    'lambda:InvokeFunctionUrl',
  ])
  for (const { FunctionName, Action, FunctionUrlAuthType, InvokedViaFunctionUrl } of open) {
    expect(JSON.stringify(FunctionName)).toContain(plain.lambda('stream').id)
    if (Action === 'lambda:InvokeFunctionUrl') expect(FunctionUrlAuthType).toBe('NONE')
    else expect(InvokedViaFunctionUrl).toBe(true)
  }
})

test('only the API of this stack may call the other HTTP functions', () => {
  const callers = plain
    .all('AWS::Lambda::Permission')
    .map(([, { Properties }]) => Properties)
    .filter(properties => !isOfFunctionUrl(properties))
  // One for each function, and one for requests that match no route.
  expect(callers).toHaveLength(9)
  for (const { Principal, SourceArn } of callers) {
    expect(Principal).toBe('apigateway.amazonaws.com')
    expect(JSON.stringify(SourceArn)).toMatch(/execute-api.*ApiHttp/)
  }
})

test('each route has exactly one permission to call its function', () => {
  const routes = plain.all('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => Properties)
  expect(routes.map(({ RouteKey }) => RouteKey)).toContain('$default')
  for (const { RouteKey, Target } of routes) {
    const integration = /Api[A-Za-z0-9]+/.exec(JSON.stringify(Target))?.[0] ?? ''
    const functionArn = plain.template.Resources[integration]?.Properties.IntegrationUri
    const called = String(RouteKey).replace(/^([A-Z]+) \//, '$1/')
    const allowed = plain
      .all('AWS::Lambda::Permission')
      .filter(([, { Properties }]) => JSON.stringify(Properties.FunctionName) === JSON.stringify(functionArn))
      .map(([, { Properties }]) => callersOf(Properties.SourceArn))
    expect(
      allowed.filter(callers => callers.test(`execute-api/$default/${called}`)),
      called,
    ).toHaveLength(1)
  }
})

/**
 * Converts the pattern of an API's ARN to a RegExp over `execute-api/<stage>/…`. Its asterisks match slashes
 * too.
 */
function callersOf(sourceArn: unknown): RegExp {
  const [, parts] = (sourceArn as { 'Fn::Join': [string, unknown[]] })['Fn::Join']
  const path = String(parts.at(-1)).replaceAll('$', '\\$').replaceAll('*', '.*')
  return new RegExp(`^execute-api${path}$`)
}

const withProviders = synthesize({
  profile: 'hosted',
  accessSecretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:footfall-AbCdEf',
  openIdIssuer: 'https://login.example.com',
  openIdClientId: 'footfall',
  codeHostClientId: 'Iv1.0a1b',
  stripePrice: 'price_1',
})

const templates = [
  ['plain', plain],
  ['with a domain and alarms', full],
  ['with providers and payments', withProviders],
] as const

test.each(templates)(
  'the template (%s) holds no secret: not in a value, a parameter or an output',
  (_, { template }) => {
    // Names of routes come from their paths, such as /settings/api-key. Secrets Manager makes the key of the
    // e-mail index.
    const text = JSON.stringify(template, (name, value) =>
      name === 'GenerateSecretString' ? 'made by AWS' : value,
    )
      .replace(/"ApiRoute\w+":/g, '"route":')
      .replaceAll('"GenerateSecretString":', '"generated":')
    expect(text).not.toMatch(
      /\b(aak|aat|aas|aar|aap|aae|aac|sk|rk|whsec)_|AKIA|BEGIN [A-Z ]*KEY|"(?:[^"]*(?:password|secret|token|apikey)[^"]*)":/i,
    )
    // CloudFormation replaces such a reference with the secret itself. Then everyone who may read the
    // resource can read the secret. That is only done for the key of the edge (lib/edge-keys.ts).
    const references = JSON.stringify(template).match(/\{\{resolve:[^}]*\}[^}]*\}\}/g) ?? []
    for (const reference of references) expect(reference).toMatch(/"Ref":"EdgeKeysKey1\w+"/)
  },
)

test.each(templates)('functions (%s) get the ARN of a secret and never its value', (_, { lambda }) => {
  const names = Object.keys(functions) as FunctionName[]
  const variables = names.flatMap(name => {
    const { Variables } = lambda(name).properties.Environment as { Variables: Record<string, unknown> }
    return Object.entries(Variables)
  })
  const credentials = variables.filter(([name]) => /KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL/.test(name))
  expect(new Set(credentials.map(([name]) => name))).toEqual(
    new Set(['EMAIL_KEY_ARN', 'EDGE_KEY', 'PROVIDER_CREDENTIALS']),
  )
  for (const [, value] of credentials) {
    if (typeof value === 'string') expect(value).toMatch(/^$|^arn:aws:secretsmanager:/)
    else expect(Object.keys(value as object)[0]).toMatch(/^Ref$|^Fn::/)
  }
  // No other text is long enough to hold a random key.
  for (const [name, value] of variables) {
    if (typeof value === 'string' && !credentials.some(([each]) => each === name))
      expect(value).not.toMatch(/(?=\S*\d)(?=\S*[a-z])[\w+/=-]{24,}/i)
  }
})

test.each(templates)(
  'the outputs (%s) are addresses and names, and none shows a secret',
  (_, { template }) => {
    const { Outputs } = template
    expect(Object.keys(Outputs)).toEqual([
      'BaseUrl',
      'CloudFrontName',
      'MakeOwner',
      'RestoreLake',
      'BucketName',
      'TableName',
      'StreamName',
    ])
    expect(JSON.stringify(Outputs)).not.toMatch(/EmailKey|AWS::StackId|secretsmanager/)
  },
)

test('every function and the API have a log with a retention time, and the access log does not identify the caller', () => {
  const groups = plain.all('AWS::Logs::LogGroup')
  expect(groups).toHaveLength(Object.keys(functions).length + 1)
  for (const [, { Properties }] of groups) expect(Properties.RetentionInDays).toBe(30)
  for (const name of Object.keys(functions) as FunctionName[]) {
    const { LogGroup } = plain.lambda(name).properties.LoggingConfig as { LogGroup: { Ref: string } }
    expect(LogGroup.Ref).toMatch(new RegExp(`^${name}Log`))
  }
  const { Format } = plain.only('AWS::ApiGatewayV2::Stage').Properties.AccessLogSettings as { Format: string }
  expect(Format).not.toMatch(/identity|sourceIp|userAgent|path|authorizer/i)
})

test('CloudFront accepts and uses only HTTPS with current TLS versions', () => {
  const { DistributionConfig } = full.only('AWS::CloudFront::Distribution').Properties as {
    DistributionConfig: Record<string, never>
  }
  const text = JSON.stringify(DistributionConfig)
  expect(text).not.toMatch(/allow-all|"http-only"|TLSv1"|SSLv3/)
  expect(DistributionConfig).toMatchObject({
    ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' },
    DefaultCacheBehavior: { ViewerProtocolPolicy: 'https-only' },
    WebACLId: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/web/1f0a',
  })
})

test('restore may list tombstones too, because it looks for those that manifests name', () => {
  const policy = plain.all('AWS::IAM::Policy').find(([id]) => id.startsWith('restoreRole'))?.[1]
  const listing = statements(policy?.Properties).filter(({ Action }) =>
    list(Action).includes('s3:ListBucket'),
  )
  const prefixes = listing.flatMap(
    ({ Condition }) => (Condition?.StringLike as Record<string, string[]> | undefined)?.['s3:prefix'] ?? [],
  )
  expect(prefixes).toContain('tombstones/*')
})
