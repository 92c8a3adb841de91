import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createS3Lake } from '#aws/lake'
import { createKinesisStream } from '#aws/stream'
import type { World } from '#rehearsal/world'
import { expectEqual } from './check.ts'

/** `cdk destroy` deletes the stack, and the retained data stays unchanged. */
export async function destroy({ aws, stack, cdk, consumer, service }: World): Promise<string> {
  await consumer.stop()
  const before = await readRetainedData(aws, stack)
  await cdk.destroy()
  const after = await readRetainedData(aws, stack)
  expectEqual(after.records, before.records, 'records of the stream')
  // Maintenance may have added objects and items until the end.
  const remainingObjects = new Set(after.objects)
  expectEqual(
    before.objects.filter(object => !remainingObjects.has(object)),
    [],
    'missing objects',
  )
  if (after.items < before.items) throw new Error(`Only ${after.items} of ${before.items} items are left.`)
  const response = await service.call('/projects')
  if (response.status < 400) throw new Error(`The deleted service still answers ${response.status}.`)
  return `${after.objects.length} objects, ${after.items} items and ${after.records.length} records of the stream stay`
}

/**
 * Returns the objects of the lake with their sizes, the number of items in the table, and the sequences in
 * the stream.
 */
async function readRetainedData(
  { s3, dynamo, kinesis }: World['aws'],
  { bucket, table, stream }: World['stack'],
) {
  const objects = (await createS3Lake({ client: s3, bucket }).list('')).map(
    ({ key, size }) => `${key} ${size}`,
  )
  const { Count: items = 0 } = await dynamo.send(
    new ScanCommand({ TableName: table, Select: 'COUNT', ConsistentRead: true }),
  )
  const reader = createKinesisStream({ client: kinesis, streamArn: `stream/${stream}`, log: () => {} })
  const records: string[] = []
  for (const shard of await reader.shards()) {
    for (let after: string | null = null; ; ) {
      const page: { sequence: string }[] = await reader.read(shard, after, 1_000)
      records.push(...page.map(({ sequence }) => sequence))
      after = page.at(-1)?.sequence ?? null
      if (after === null) break
    }
  }
  return { objects, items, records }
}
