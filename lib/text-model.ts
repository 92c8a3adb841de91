import { Stack } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import { acceptFindings } from './accept-findings.ts'

/** The function that asks, as far as rights are given to it (lib/function.ts). */
type Asking = IConstruct & {
  allow(
    actions: string[],
    resources: string[],
    conditions?: Record<string, Record<string, string[]>>,
  ): unknown
}

/** `eu.anthropic.claude-…` is a profile, whose model is `anthropic.claude-…`. */
const INFERENCE_PROFILE = /^[a-z]{2,6}(?:-gov)?\.([\w-]+\..+)$/
const ACTIONS = ['bedrock:InvokeModel']

/**
 * Allows asking one text model of Amazon Bedrock. An inference profile passes a request to its model in a
 * region of its choice, so the right names that model in every region, by this profile alone.
 */
export function allowTextModel(asking: Asking, textModel: string): void {
  const { partition, region, account } = Stack.of(asking)
  const arn = (place: string, resource: string) => `arn:${partition}:bedrock:${place}:${resource}`
  const id = INFERENCE_PROFILE.exec(textModel)?.[1]
  if (id === undefined) {
    asking.allow(ACTIONS, [arn(region, `:foundation-model/${textModel}`)])
    return
  }
  const profile = arn(region, `${account}:inference-profile/${textModel}`)
  asking.allow(ACTIONS, [profile])
  asking.allow(ACTIONS, [arn('*', `:foundation-model/${id}`)], {
    StringEquals: { 'bedrock:InferenceProfileArn': [profile] },
  })
  acceptFindings(asking, {
    [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*::foundation-model/${id}]`]:
      'An inference profile chooses the region. The condition allows the model by this profile alone.',
  })
}
