import { expect, test } from 'vitest'
import { synthesize } from './synthesized.ts'

/**
 * Limits of AWS that a deployment meets, and that an emulator does not have. The stack has all options that
 * add resources, rights or settings.
 */

const { template, all, only } = synthesize({
  alarmEmail: 'ops@example.com',
  silenceHours: 24,
  dashboard: true,
  tracing: true,
  backupDays: 35,
  replicaBucketArn: 'arn:aws:s3:::copies',
  ingestion: 'function-url',
  concurrency: 1_000,
  rollout: 'canary',
  profile: 'hosted',
  accessSecretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:footfall-a1b2c3',
  feedbackTopicArn: 'arn:aws:sns:eu-west-1:123456789012:feedback',
  textModel: 'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
  domainName: 'stats.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1f0a',
  hostedZoneId: 'Z0123',
  webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/web/1f0a',
})

/** The longest values in the place of references: those of every stack, and an ARN or a name. */
const PSEUDO = {
  Partition: 'aws',
  Region: 'ap-southeast-7',
  AccountId: '123456789012',
  URLSuffix: 'amazonaws.com',
}
const NAME = 'x'.repeat(140)

/** The text of a value after the deployment. */
function deployed(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (part === null || typeof part !== 'object') return part
    const { Ref, 'Fn::Join': join, 'Fn::GetAtt': attribute } = part
    if (Ref !== undefined) return PSEUDO[String(Ref).replace('AWS::', '') as keyof typeof PSEUDO] ?? NAME
    if (attribute !== undefined) return NAME
    return join === undefined ? part : JSON.parse(deployed(join[1])).join(join[0])
  })
}

test('a stack has at most 500 resources, and its template at most 1 MB', () => {
  expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(500)
  // The CDK writes the template with spaces.
  expect(JSON.stringify(template, null, 1).length).toBeLessThanOrEqual(1_000_000)
})

test('an API has at most 300 routes', () => {
  expect(all('AWS::ApiGatewayV2::Route').length).toBeLessThanOrEqual(300)
})

test('a distribution has at most 25 behaviours, also in an account whose limit was never raised', () => {
  const { DistributionConfig } = only('AWS::CloudFront::Distribution').Properties
  const { CacheBehaviors } = DistributionConfig as { CacheBehaviors: unknown[] }
  expect(CacheBehaviors.length).toBeLessThanOrEqual(25)
})

test('the policy of a role has at most 10,240 bytes, and the settings of a function at most 4 KB', () => {
  for (const [id, { Properties }] of all('AWS::IAM::Policy'))
    expect(deployed(Properties.PolicyDocument).length, id).toBeLessThanOrEqual(10_240)
  for (const [id, { Properties }] of all('AWS::Lambda::Function'))
    expect(deployed(Properties.Environment ?? {}).length, id).toBeLessThanOrEqual(4_096)
})

test("a function's own policy has at most 20 KB", () => {
  const permissions = Map.groupBy(all('AWS::Lambda::Permission'), ([, { Properties }]) =>
    JSON.stringify(Properties.FunctionName),
  )
  for (const [name, ofFunction] of permissions)
    expect(deployed(ofFunction).length, name).toBeLessThanOrEqual(20_480)
})
