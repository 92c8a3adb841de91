import { expect, test } from 'vitest'
import { ConfigError, options, readConfig } from '#lib/config'

test('every option has a default', () => {
  expect(readConfig({})).toMatchObject({
    stackName: 'Footfall',
    architecture: 'arm64',
    streamMode: 'provisioned',
    retentionHours: 24,
    tracing: false,
  })
})

test('a value may be text, as on the command line, or typed, as in cdk.json', () => {
  const typedContext = { shards: 4, retentionHours: 168, tracing: true, priceClass: 100 }
  const textContext = { shards: '4', retentionHours: '168', tracing: 'true', priceClass: '100' }
  expect(readConfig(textContext)).toEqual(readConfig(typedContext))
})

test('context keys of the CDK itself are ignored', () => {
  const context = {
    '@aws-cdk/core:newStyleStackSynthesis': true,
    'aws:cdk:toolkit': 'x',
    'cli-telemetry': false,
  }
  expect(readConfig(context)).toEqual(readConfig({}))
})

test('a misspelt option is an error that lists the valid names', () => {
  expect(() => readConfig({ retentionHour: 24 })).toThrow(ConfigError)
  expect(() => readConfig({ retentionHour: 24 })).toThrow(
    /There is no option retentionHour\. .*retentionHours/,
  )
})

const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/1f0a'

test.each([
  ['stackName', { stackName: '1st' }],
  ['domainName', { domainName: 'stats.example.com', certificateArn, edge: false }],
  ['webAclArn', { webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/a/b', edge: 'false' }],
  ['edgeKeys', { edgeKeys: '1,1' }],
  ['edgeKeys', { edgeKeys: '1,2,3' }],
  ['edgeKeys', { edgeKeys: 'a' }],
  ['architecture', { architecture: 'arm' }],
  ['priceClass', { priceClass: 300 }],
  ['shards', { shards: '0' }],
  ['shards', { shards: '2.5' }],
  ['shards', { shards: '' }],
  ['shards', { shards: 4, streamMode: 'on-demand' }],
  ['retentionHours', { retentionHours: 23 }],
  ['logRetentionDays', { logRetentionDays: 31 }],
  ['tracing', { tracing: 'maybe' }],
  ['alarmEmail', { alarmEmail: 'ops' }],
  ['alarmTopicArn', { alarmTopicArn: 'ops' }],
  ['alarmTopicArn', { alarmEmail: 'o@example.com', alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:ops' }],
  ['domainName', { domainName: 'https://stats.example.com', certificateArn }],
  ['certificateArn', { domainName: 'stats.example.com' }],
  ['certificateArn', { certificateArn }],
  [
    'certificateArn',
    { domainName: 'stats.example.com', certificateArn: certificateArn.replace('us-east', 'eu-west') },
  ],
  ['profile', { profile: 'free' }],
  ['feedbackTopicArn', { feedbackTopicArn: 'feedback' }],
  [
    'feedbackTopicArn',
    {
      feedbackTopicArn: 'arn:aws:sns:eu-west-1:123456789012:feedback',
      feedbackWebhook: 'https://chat.example.com',
    },
  ],
  ['accessSecretArn', { openIdIssuer: 'https://login.example.com', openIdClientId: 'footfall' }],
  ['accessSecretArn', { codeHostClientId: 'footfall' }],
  ['openIdClientId', { openIdIssuer: 'https://login.example.com' }],
  ['openIdIssuer', { openIdIssuer: 'http://login.example.com' }],
  ['stripePrice', { stripePrice: 'price_1' }],
  // CloudFront is a separate service in China, and missing in GovCloud.
  ['alarmTopicArn', { alarmTopicArn: 'arn:aws-cn:sns:cn-north-1:123456789012:ops' }],
  [
    'certificateArn',
    { domainName: 'stats.example.com', certificateArn: certificateArn.replace('arn:aws', 'arn:aws-us-gov') },
  ],
  ['hostedZoneId', { hostedZoneId: 'Z123' }],
  ['webAclArn', { webAclArn: 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/a/b' }],
  ['silenceHours', { silenceHours: 25 }],
  ['monthlyBudgetUsd', { monthlyBudgetUsd: 50 }],
  ['streams', { streams: 'maybe' }],
  ['terminationProtection', { terminationProtection: 'maybe' }],
  ['accessLogBucketArn', { accessLogBucketArn: 'audit-logs' }],
  ['expectedRequestsPerDay', { expectedRequestsPerDay: 0 }],
])('a bad value of %s is an error that names the option: %o', (name, context) => {
  expect(() => readConfig(context)).toThrow(ConfigError)
  expect(() => readConfig(context)).toThrow(
    new RegExp(`^Option ${name} is not valid\\. (Use|Set|Start) .*\\.$`, 'm'),
  )
})

test('every option has a description', () => {
  expect(options.length).toBeGreaterThan(15)
  for (const { description } of options) expect(description).toMatch(/^[A-Z].{15,}/)
})
