import { AwsSolutionsChecks } from 'cdk-nag'
import { expect, test } from 'vitest'
import { type Resource, type Synthesized, synthesize } from './synthesized.ts'

/** The option `rollout`: how a new version of the function that takes events comes into use. */

const plain = synthesize()
const canary = synthesize({ rollout: 'canary' })
const byUrl = synthesize({ rollout: 'canary', ingestion: 'function-url', concurrency: 1_000 })

/** The id of the alias of `track`. */
function aliasOf({ all }: Synthesized): string {
  const [[id] = []] = all('AWS::Lambda::Alias')
  return id ?? 'no alias'
}

/** The ids that the integration of a function with the API refers to, or waits for. */
function integrationOf({ all, lambda }: Synthesized, name: 'track' | 'reports', called = lambda(name).id) {
  const [integration] = all('AWS::ApiGatewayV2::Integration').filter(([, { Properties }]) =>
    JSON.stringify(Properties.IntegrationUri).includes(called),
  )
  return integration?.[1]
}

test('by default there is no alias, and the API calls the function itself', () => {
  expect(plain.all('AWS::Lambda::Alias')).toEqual([])
  expect(plain.all('AWS::CodeDeploy::DeploymentGroup')).toEqual([])
  expect(integrationOf(plain, 'track')).toBeDefined()
})

test('with a canary only the function that takes events has an alias, which CodeDeploy moves', () => {
  const [, alias] = canary.all('AWS::Lambda::Alias')[0]!
  expect(canary.all('AWS::Lambda::Alias')).toHaveLength(1)
  expect(alias.Properties.FunctionName).toEqual({ Ref: canary.lambda('track').id })
  const { UpdatePolicy } = alias as Resource & { UpdatePolicy: unknown }
  expect(JSON.stringify(UpdatePolicy)).toMatch(/CodeDeployLambdaAliasUpdate.*RolloutGroup/)
  const { Properties } = canary.only('AWS::CodeDeploy::DeploymentGroup')
  expect(Properties).toMatchObject({
    DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
    AutoRollbackConfiguration: {
      Enabled: true,
      Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']),
    },
  })
})

test('a failing function and responses with 5xx take a rollout back within its ten minutes', () => {
  for (const deployed of [canary, byUrl]) {
    const { AlarmConfiguration } = deployed.only('AWS::CodeDeploy::DeploymentGroup').Properties as {
      AlarmConfiguration: { Enabled: boolean; Alarms: { Name: { Ref: string } }[] }
    }
    expect(AlarmConfiguration.Enabled).toBe(true)
    const alarms = AlarmConfiguration.Alarms.map(
      ({ Name }) => deployed.template.Resources[Name.Ref]?.Properties,
    )
    expect(alarms.map(alarm => alarm?.MetricName)).toEqual([
      'Errors',
      deployed === byUrl ? 'Url5xxCount' : '5xx',
    ])
    for (const alarm of alarms)
      expect(alarm).toMatchObject({
        Period: 60,
        EvaluationPeriods: 1,
        AlarmDescription: expect.stringMatching(/docs\/alarms\.md#rollout\.$/),
        TreatMissingData: 'notBreaching',
      })
  }
})

test('the API calls the alias, and only after it may', () => {
  const alias = aliasOf(canary)
  const integration = integrationOf(canary, 'track', alias)
  const permissions = canary
    .all('AWS::Lambda::Permission')
    .filter(([, { Properties }]) => JSON.stringify(Properties.FunctionName).includes(alias))
  expect(permissions).toHaveLength(1)
  expect(integration?.DependsOn).toEqual(permissions.map(([id]) => id))
  // The way back to the function itself is as safe.
  const [permission] = integrationOf(plain, 'track')?.DependsOn ?? []
  expect(plain.template.Resources[permission ?? '']).toMatchObject({ Type: 'AWS::Lambda::Permission' })
})

test('CloudFront calls the URL of the alias, with both rights', () => {
  const alias = aliasOf(byUrl)
  const urls = byUrl.all('AWS::Lambda::Url').map(([, { Properties }]) => Properties)
  expect(urls.filter(({ Qualifier }) => Qualifier === 'live')).toHaveLength(1)
  const actions = byUrl
    .all('AWS::Lambda::Permission')
    .map(([, { Properties }]) => Properties)
    .filter(({ FunctionName }) => JSON.stringify(FunctionName).includes(alias))
    .filter(({ Principal }) => Principal === '*')
    .map(({ Action }) => Action)
  expect(actions.toSorted()).toEqual(['lambda:InvokeFunction', 'lambda:InvokeFunctionUrl'])
})

test('cdk-nag has no finding about a rollout that is not accepted with a reason', () => {
  expect(new AwsSolutionsChecks().validateScope(canary.stack).violations).toEqual([])
})

test('a changed setting of the function makes a new version of it', () => {
  const versionOf = ({ all }: Synthesized) => all('AWS::Lambda::Version').map(([id]) => id)
  expect(versionOf(canary)).toHaveLength(1)
  expect(versionOf(canary)).toEqual(versionOf(synthesize({ rollout: 'canary', alarmEmail: 'o@example.com' })))
  expect(versionOf(canary)).not.toEqual(versionOf(synthesize({ rollout: 'canary', logLevel: 'WARN' })))
})
