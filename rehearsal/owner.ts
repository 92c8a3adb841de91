import { InvokeCommand } from '@aws-sdk/client-lambda'
import type { Credentials } from '#schemas/owner'
import type { AwsClients } from './aws.ts'
import type { Stack } from './stack.ts'

/**
 * Makes the owner as the printed command does, by Lambda's Invoke with the deployer's own rights: the AWS CLI is not on
 * every machine.
 */
export async function makeOwner({ lambda }: AwsClients, { makeOwner }: Stack): Promise<Credentials> {
  const FunctionName = /^aws lambda invoke .*--function-name (\S+) .*\/dev\/stdout$/.exec(makeOwner)?.[1]
  if (FunctionName === undefined) throw new Error(`not the command that was expected: ${makeOwner}`)
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName }))
  const answer = Buffer.from(Payload ?? []).toString('utf8')
  if (FunctionError !== undefined) throw new Error(`the owner's function failed: ${answer}`)
  return JSON.parse(answer) as Credentials
}
