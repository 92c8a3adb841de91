import { expect, test } from 'vitest'
import { readConfig } from '#lib/config'
import { synthesize } from './synthesized.ts'

type Statement = { Action: string | string[]; Resource: unknown }

const key = 'arn:aws:kms:eu-west-1:123456789012:key/1f0a'
const accessSecretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:footfall-a1b2c3'
const feedbackTopicArn = 'arn:aws:sns:eu-west-1:123456789012:feedback'

/** The actions on keys that each role has, by the function's name. */
function keyActions(context: Record<string, unknown>): Record<string, string[]> {
  const policies = synthesize(context).all('AWS::IAM::Policy')
  const entries = policies.flatMap(([id, { Properties }]) => {
    const { Statement } = Properties.PolicyDocument as { Statement: Statement[] }
    const statements = Statement.filter(({ Action }) => [Action].flat().some(name => name.startsWith('kms:')))
    for (const { Resource } of statements) expect(Resource).toBe(key)
    return statements.map(({ Action }): [string, string[]] => [id.replace(/Role.*/, ''), [Action].flat()])
  })
  return Object.fromEntries(entries)
}

test('only the functions that read the secret or publish to the topic of the deployer may use its key', () => {
  expect(keyActions({ accessSecretArn, feedbackTopicArn })).toEqual({})
  expect(keyActions({ accessSecretArn, keyArns: key })).toEqual({ pages: ['kms:Decrypt'] })
  expect(keyActions({ feedbackTopicArn, keyArns: key })).toEqual({
    control: ['kms:Decrypt', 'kms:GenerateDataKey'],
    // It sends feedback too.
    mcp: ['kms:Decrypt', 'kms:GenerateDataKey'],
  })
})

test('a key without a secret or a topic that it encrypts is an error, because nothing else takes one', () => {
  expect(() => readConfig({ keyArns: key })).toThrow(/accessSecretArn or feedbackTopicArn/)
  expect(() => readConfig({ keyArns: 'alias/mine', accessSecretArn })).toThrow(/ARNs of KMS keys/)
})

/** Account and region, and settings of the CDK itself. */
const guarded = synthesize(
  { account: '123456789012', region: 'eu-west-1' },
  {
    '@aws-cdk/core:permissionsBoundary': { name: 'our-boundary' },
    '@aws-cdk/core:bootstrapQualifier': 'abc123',
  },
)

test('with account and region, the CDK deploys nowhere else', () => {
  const { account, region } = guarded.stack
  expect([account, region]).toEqual(['123456789012', 'eu-west-1'])
})

test('every role has the permissions boundary of the CDK setting', () => {
  const roles = guarded.all('AWS::IAM::Role')
  expect(roles.length).toBeGreaterThan(10)
  for (const [, { Properties }] of roles)
    expect(JSON.stringify(Properties.PermissionsBoundary)).toContain(':policy/our-boundary')
})

test('the bootstrap of the CDK setting is used', () => {
  expect(JSON.stringify(guarded.stack.synthesizer.bootstrapQualifier)).toContain('abc123')
})
