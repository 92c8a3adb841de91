import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createS3Lake } from '#aws/lake'
import { createKinesisStream } from '#aws/stream'
import type { World } from '#rehearsal/world'

/**
 * Returns the objects of the lake with their sizes, the number of items in the table, and the sequences in
 * the stream.
 */
export async function readRetainedData(
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
