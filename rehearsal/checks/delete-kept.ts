import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { DescribeStreamSummaryCommand } from '@aws-sdk/client-kinesis'
import { HeadBucketCommand } from '@aws-sdk/client-s3'
import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { findKeptIds } from '#lib/find-kept'
import { keptResources } from '#lib/kept-resources'
import { deleteKept } from '#lib/smoke/delete-kept'
import { DEPLOYER } from '#rehearsal/aws'
import type { World } from '#rehearsal/world'
import { eventually } from '#test/support/eventually'
import { expectEqual } from './check.ts'

/** Nothing of the service is left once the end of `npm run smoke:aws` has run. */
export async function leaveNothing({ aws, stack, cdk, gate, patience }: World): Promise<string> {
  await cdk.destroy()
  const { physicalIds } = await findKeptIds(aws.cloudFormation, stack.name)
  const secrets = new SecretsManagerClient({ ...DEPLOYER, endpoint: gate.endpoint })
  await deleteKept({ ...aws, secrets }, physicalIds)
  const SecretId = physicalIds.get(keptResources.emailKey.logicalId)
  const looks = {
    bucket: () => aws.s3.send(new HeadBucketCommand({ Bucket: stack.bucket })),
    table: () => aws.dynamo.send(new DescribeTableCommand({ TableName: stack.table })),
    stream: () => aws.kinesis.send(new DescribeStreamSummaryCommand({ StreamName: stack.stream })),
    secret: () => secrets.send(new DescribeSecretCommand({ SecretId })),
  }
  await eventually(
    async () => {
      const left: string[] = []
      for (const [name, look] of Object.entries(looks))
        if (await look().then(Boolean, isThere)) left.push(name)
      expectEqual(left, [], 'what is left')
    },
    { timeoutMs: 60_000 * patience, everyMs: 1_000 },
  )
  return Object.keys(looks).join(', ')
}

/** Whether the error of a look at a resource says anything but that it is gone. */
function isThere(error: Error): boolean {
  if (/NotFound/.test(error.name)) return false
  throw error
}
