import { expect, test } from 'vitest'
import { STREAM_DEFAULTS } from '#core/live/event-stream'
import { type FunctionName, functions } from '#schemas/functions'
import { routes } from '#schemas/routes'
import { synthesize } from './synthesized.ts'

/** CloudFront in front of the API and the streams. */

const plain = synthesize()
const names = Object.keys(functions) as FunctionName[]

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

const PAGES_AND_SCRIPTS = [
  ...[routes.trackerJs.path, routes.trackerCore.path, '/tracker/*', routes.trackerSource.path],
  ...[routes.recorderJs.path, '/replay/recorder/*', '/replay/viewer/*', '/app/assets/*'],
  ...['/', '/llms.txt', '/app', '/app/*', '/share/*'],
]

test('CloudFront passes all requests to the API and caches only the scripts', () => {
  const { DefaultCacheBehavior, CacheBehaviors, CustomErrorResponses } = distribution()
  expect(DefaultCacheBehavior.AllowedMethods).toHaveLength(7)
  expect(CacheBehaviors.map(({ PathPattern }) => PathPattern)).toEqual([
    ...PAGES_AND_SCRIPTS,
    routes.experimentsConfig.path,
    routes.replayConfig.path,
    routes.track.path,
    routes.trackBatch.path,
    routes.checkTrack.path,
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

test.each([{}, { edge: false }])('without streams no function has a URL, with %o', options => {
  const polled = synthesize({ streams: false, ...options })
  expect(polled.all('AWS::Lambda::Url')).toEqual([])
  const isUrlRight = (resource: unknown) => JSON.stringify(resource).includes('lambda:InvokeFunctionUrl')
  expect(plain.all('AWS::Lambda::Permission').some(isUrlRight)).toBe(true)
  expect(polled.all('AWS::Lambda::Permission').filter(isUrlRight)).toEqual([])
  expect(polled.all('AWS::CloudFront::Function')).toEqual([])
  expect(Object.keys(polled.template.Outputs)).not.toContain('StreamUrl')
  if (polled.all('AWS::CloudFront::Distribution').length === 0) return
  const { CacheBehaviors, Origins } = distribution(polled)
  expect(CacheBehaviors.map(({ PathPattern }) => PathPattern)).not.toContain(routes.stream.path)
  expect(Origins).toHaveLength(1)
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

test('without TLS CloudFront redirects pages and scripts, and refuses what may carry a credential', () => {
  const { CacheBehaviors, DefaultCacheBehavior } = distribution()
  const redirected = CacheBehaviors.filter(
    ({ ViewerProtocolPolicy }) => ViewerProtocolPolicy === 'redirect-to-https',
  )
  expect(redirected.map(({ PathPattern }) => PathPattern)).toEqual(PAGES_AND_SCRIPTS)
  for (const behavior of [DefaultCacheBehavior, ...CacheBehaviors])
    if (!redirected.includes(behavior)) expect(behavior.ViewerProtocolPolicy).toBe('https-only')
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

const httpFunctions = names.filter(name => 'EDGE_KEY' in functions[name].shape)

/** The text of a value with references to secrets. */
const joined = (value: unknown) => JSON.stringify(value)

test('CloudFront sends a generated secret, and every HTTP function demands it', () => {
  expect(httpFunctions).toEqual([
    'track',
    'reports',
    'stream',
    'control',
    'auth',
    'mcp',
    'replay',
    'site',
    'pages',
  ])
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
