import { createSecretsManagerClient } from '#aws/clients'
import { createS3Lake } from '#aws/lake'
import { deleteKept } from '#lib/delete-kept'
import { findKeptIds } from '#lib/find-kept'
import { keptResources } from '#lib/kept-resources'
import { DEPLOYER } from '#rehearsal/aws'
import type { World } from '#rehearsal/world'
import { expectEqual } from './check.ts'

/** Destroys the stack, and deletes the data that this keeps. Nothing can follow it. */
export async function deleteEverything({ aws, cdk, consumer, gate, stack }: World): Promise<string> {
  await consumer.stop()
  await cdk.destroy()
  const { physicalIds } = await findKeptIds(aws.cloudFormation, stack.name)
  const secrets = createSecretsManagerClient({ ...DEPLOYER, endpoint: gate.endpoint })
  const deleted = await deleteKept({ ...aws, secrets }, physicalIds)
  expectEqual(deleted.length, Object.keys(keptResources).length, 'number of deleted resources')
  const bucket = physicalIds.get(keptResources.lake.logicalId) ?? ''
  const listing = createS3Lake({ client: aws.s3, bucket }).list('')
  const isGone = await listing.then(
    () => false,
    () => true,
  )
  if (!isGone) throw new Error(`The S3 bucket ${bucket} is still there.`)
  return deleted.join(', ')
}
