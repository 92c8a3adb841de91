import { expect, test } from 'vitest'
import { readConfig } from '#lib/config'
import { routes } from '#schemas/routes'
import { synthesize } from './synthesized.ts'

/** The option `ingestion`: how CloudFront calls the function that takes events. */

const byApi = synthesize()
const byUrl = synthesize({ ingestion: 'function-url', concurrency: 1_000 })

type Behavior = { PathPattern: string; TargetOriginId: string; OriginRequestPolicyId: unknown }
type Origin = { Id: string; DomainName: unknown; OriginCustomHeaders: { HeaderName: string }[] }

function distribution({ only }: typeof byApi) {
  return only('AWS::CloudFront::Distribution').Properties.DistributionConfig as {
    CacheBehaviors: Behavior[]
    Origins: Origin[]
  }
}

/** The logical id in the host of the origin of a path. */
function originOf(deployed: typeof byApi, path: string): string {
  const { CacheBehaviors, Origins } = distribution(deployed)
  const behavior = CacheBehaviors.find(({ PathPattern }) => PathPattern === path)
  const origin = Origins.find(({ Id }) => Id === behavior?.TargetOriginId)
  return /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(origin?.DomainName))?.[1] ?? ''
}

const tracking = Object.values(routes)
  .filter(row => row.auth === 'project_token' && row.function === 'track')
  .map(({ path }) => path)

test('by default the API calls the function that takes events, and with the option CloudFront calls its URL', () => {
  expect(tracking).toContain('/track/batch')
  for (const path of tracking) {
    expect(originOf(byApi, path)).toMatch(/^ApiHttp/)
    expect(originOf(byUrl, path)).toMatch(/^trackFunctionIngestion|^Ingestion/)
  }
  // The other rows with a project token belong to other functions.
  expect(originOf(byUrl, routes.experimentsConfig.path)).toMatch(/^ApiHttp/)
  expect(byApi.all('AWS::Lambda::Url')).toHaveLength(1)
  expect(byUrl.all('AWS::Lambda::Url')).toHaveLength(2)
})

test('the URL is open, so it demands the key of CloudFront, gets no cookies and has reserved executions', () => {
  const { Origins, CacheBehaviors } = distribution(byUrl)
  for (const { OriginCustomHeaders } of Origins)
    expect(OriginCustomHeaders).toMatchObject([{ HeaderName: 'X-Footfall-Edge' }])
  for (const [, { Properties }] of byUrl.all('AWS::Lambda::Url')) expect(Properties.AuthType).toBe('NONE')
  const policies = distribution(byApi).CacheBehaviors
  for (const path of tracking) {
    const policyOf = (rows: Behavior[]) =>
      rows.find(({ PathPattern }) => PathPattern === path)?.OriginRequestPolicyId
    expect(policyOf(CacheBehaviors)).toEqual(policyOf(policies))
  }
  expect(byUrl.lambda('track').properties.ReservedConcurrentExecutions).toBe(200)
  expect(byApi.lambda('track').properties).not.toHaveProperty('ReservedConcurrentExecutions')
})

test('each URL has both rights that AWS demands since October 2025', () => {
  for (const name of ['track', 'stream'] as const) {
    const { id } = byUrl.lambda(name)
    const rights = byUrl
      .all('AWS::Lambda::Permission')
      .map(([, { Properties }]) => Properties)
      .filter(({ FunctionName, Principal }) => Principal === '*' && JSON.stringify(FunctionName).includes(id))
    expect(rights.map(({ Action }) => Action).toSorted(), name).toEqual([
      'lambda:InvokeFunction',
      'lambda:InvokeFunctionUrl',
    ])
    const invoke = rights.find(({ Action }) => Action === 'lambda:InvokeFunction')
    // Without the condition everybody could call the function with any event.
    expect(invoke).toMatchObject({ InvokedViaFunctionUrl: true })
  }
})

test('requests and errors of the URL have alarms, because the API does not count them', () => {
  const alarm = (deployed: typeof byApi, name: string) =>
    deployed.all('AWS::CloudWatch::Alarm').find(([id]) => id.startsWith(`Alarms${name}`))?.[1].Properties
  expect(alarm(byApi, 'DailyRequests')).toMatchObject({ Namespace: 'AWS/ApiGateway' })
  expect(alarm(byUrl, 'DailyRequests')).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: 'UrlRequestCount',
  })
  expect(alarm(byApi, 'ServerErrorstrack')).toBeUndefined()
  expect(alarm(byUrl, 'ServerErrorstrack')).toMatchObject({
    MetricName: 'Url5xxCount',
    AlarmDescription: expect.stringMatching(/#servererrors\.$/),
  })
})

test.each<[string, Record<string, unknown>, RegExp]>([
  ['without CloudFront', { edge: false, concurrency: 1_000 }, /edge=true/],
  ['without reserved executions', {}, /Set concurrency too/],
  ['with an account that can reserve none', { concurrency: 100 }, /125 or more/],
])('ingestion by a URL %s is refused', (_, options, message) => {
  expect(() => readConfig({ ingestion: 'function-url', ...options })).toThrow(message)
})
