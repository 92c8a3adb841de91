import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createS3Lake } from '#aws/lake'
import { createKinesisStream } from '#aws/stream'
import type { World } from '../world.ts'
import { expectEqual } from './check.ts'

/** The stack goes, and all that it keeps stays as it was. */
export async function destroy({ aws, stack, cdk, consumer, service }: World): Promise<string> {
  await consumer.stop()
  const before = await kept(aws, stack)
  await cdk.destroy()
  const after = await kept(aws, stack)
  expectEqual(after.records, before.records, 'the records of the stream')
  // Maintenance may have added to the others until the end.
  const left = new Set(after.objects)
  expectEqual(
    before.objects.filter(object => !left.has(object)),
    [],
    'objects that are gone',
  )
  if (after.items < before.items) throw new Error(`${after.items} items are left of ${before.items}`)
  const gone = await service.call('/projects')
  if (gone.status < 400) throw new Error(`the service answers ${gone.status} after its end`)
  return `${after.objects.length} objects, ${after.items} items and ${after.records.length} records of the stream stay`
}

/** The lake's objects with their sizes, the number of items, and the stream's records by sequence. */
async function kept({ s3, dynamo, kinesis }: World['aws'], { bucket, table, stream }: World['stack']) {
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
