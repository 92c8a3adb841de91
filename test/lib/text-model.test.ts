import { AwsSolutionsChecks } from 'cdk-nag'
import { expect, test } from 'vitest'
import { type Resource, synthesize } from './synthesized.ts'

/** The right to ask a text model, and who has it. */

type Statement = { Action: string; Resource: unknown; Condition?: unknown }

function asksOf(textModel?: string) {
  const { all, lambda, stack } = synthesize(textModel === undefined ? {} : { textModel })
  const statements = all('AWS::IAM::Policy').flatMap(([id, { Properties }]: [string, Resource]) =>
    (Properties.PolicyDocument as { Statement: Statement[] }).Statement.map(each => ({ id, ...each })),
  )
  const environment = lambda('jobs').properties.Environment as { Variables: Record<string, unknown> }
  return {
    stack,
    setting: environment.Variables.TEXT_MODEL,
    rights: statements
      .filter(({ Action }) => JSON.stringify(Action).includes('bedrock'))
      .map(({ id, Action, Resource, Condition }) => ({
        of: id.replace(/Role.*/, ''),
        Action,
        on: arnOf(Resource),
        when: JSON.parse(JSON.stringify(Condition ?? null), (_, value) => arnOf(value)),
      })),
  }
}

/** An ARN with names for what CloudFormation puts in. */
function arnOf(value: unknown): unknown {
  const parts = (value as { 'Fn::Join'?: [string, unknown[]] } | null)?.['Fn::Join']?.[1]
  return (
    parts?.map(part => (typeof part === 'string' ? part : (part as { Ref: string }).Ref)).join('') ?? value
  )
}

test('without a text model nothing may ask one', () => {
  expect(asksOf()).toMatchObject({ setting: '', rights: [] })
})

test('with a model of the region the jobs may ask that model alone', () => {
  const { stack, ...asks } = asksOf('amazon.nova-lite-v1:0')
  expect(asks).toEqual({
    setting: 'amazon.nova-lite-v1:0',
    rights: [
      {
        of: 'jobs',
        Action: 'bedrock:InvokeModel',
        on: 'arn:AWS::Partition:bedrock:AWS::Region::foundation-model/amazon.nova-lite-v1:0',
        when: null,
      },
    ],
  })
  expect(new AwsSolutionsChecks().validateScope(stack).violations).toEqual([])
})

test('with an inference profile the jobs may ask its model in every region, by the profile alone', () => {
  const model = 'anthropic.claude-haiku-4-5-20251001-v1:0'
  const { stack, ...asks } = asksOf(`eu.${model}`)
  const profile = `arn:AWS::Partition:bedrock:AWS::Region:AWS::AccountId:inference-profile/eu.${model}`
  expect(asks.rights).toEqual([
    { of: 'jobs', Action: 'bedrock:InvokeModel', on: profile, when: null },
    {
      of: 'jobs',
      Action: 'bedrock:InvokeModel',
      on: `arn:AWS::Partition:bedrock:*::foundation-model/${model}`,
      when: { StringEquals: { 'bedrock:InferenceProfileArn': [profile] } },
    },
  ])
  expect(new AwsSolutionsChecks().validateScope(stack).violations).toEqual([])
})

test.each(['*', 'anthropic.*', 'a b.c', 'arn:aws:bedrock:eu-west-1::foundation-model/x', 'nova'])(
  'the text model %s is refused',
  textModel => {
    expect(() => synthesize({ textModel })).toThrow('Option textModel is not valid')
  },
)
