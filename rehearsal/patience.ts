import { resolve } from 'node:path'
import { GetDistributionConfigCommand, UpdateDistributionCommand } from '@aws-sdk/client-cloudfront'
import { GetFunctionConfigurationCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda'
import type { AwsClients } from './aws.ts'
import type { Stack } from './stack.ts'

const PRELOAD = resolve(import.meta.dirname, 'long-deadlines.cjs')
/** How long CloudFront waits for the API (lib/edge.ts), s. */
const ORIGIN_SECONDS = 30
/** The longest time that Lambda gives a function. */
const MAX_FUNCTION_SECONDS = 900

/**
 * The environment of functions whose own deadlines are `patience` times as long. A statement that takes two
 * seconds on a free machine takes a minute on one with 30 waiting processes, where AWS would still need two.
 */
export function patientEnvironment(patience: number): Record<string, string> {
  if (patience === 1) return {}
  return { NODE_OPTIONS: `--require ${PRELOAD}`, REHEARSAL_PATIENCE: String(patience) }
}

/**
 * Makes the timeouts of the functions and of CloudFront `patience` times as long as those of the template.
 */
export async function lengthenTimeouts(
  { lambda, cloudFront }: AwsClients,
  stack: Stack,
  patience: number,
): Promise<void> {
  if (patience === 1) return
  for (const { name: FunctionName, timeoutSeconds } of Object.values(stack.functions)) {
    const Timeout = Math.min(timeoutSeconds * patience, MAX_FUNCTION_SECONDS)
    const { Timeout: current } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))
    if (current !== Timeout)
      await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout }))
  }
  const Id = stack.distributionId
  const { DistributionConfig, ETag } = await cloudFront.send(new GetDistributionConfigCommand({ Id }))
  for (const { CustomOriginConfig } of DistributionConfig?.Origins?.Items ?? [])
    if (CustomOriginConfig !== undefined) CustomOriginConfig.OriginReadTimeout = ORIGIN_SECONDS * patience
  await cloudFront.send(new UpdateDistributionCommand({ Id, IfMatch: ETag, DistributionConfig }))
}
