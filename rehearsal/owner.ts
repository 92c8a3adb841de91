import { InvokeCommand } from '@aws-sdk/client-lambda'
import type { OwnerAccess } from '#schemas/owner'
import type { AwsClients } from './aws.ts'
import type { Stack } from './stack.ts'

/**
 * Creates the owner as the command in the output MakeOwner does. It calls Lambda through the SDK, because not
 * every machine has the AWS CLI.
 */
export async function makeOwner(
  { lambda }: Pick<AwsClients, 'lambda'>,
  { makeOwner }: Pick<Stack, 'makeOwner'>,
): Promise<OwnerAccess> {
  const FunctionName = /^aws lambda invoke .*--function-name (\S+) .*\/dev\/stdout$/.exec(makeOwner)?.[1]
  if (FunctionName === undefined) throw new Error(`The output MakeOwner has an unexpected form: ${makeOwner}`)
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName }))
  const payload = Buffer.from(Payload ?? []).toString('utf8')
  if (FunctionError !== undefined) throw new Error(`The owner function failed: ${payload}`)
  return JSON.parse(payload) as OwnerAccess
}
