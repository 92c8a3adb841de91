import { randomBytes } from 'node:crypto'
import { PutRecordsCommand } from '@aws-sdk/client-kinesis'
import { createS3Lake } from '#aws/lake'
import { eventually } from '#test/support/eventually'
import { type Check, expectEqual } from './check.ts'

export const poisonedRecord: Check = {
  name: 'poisoned records end in quarantine, and their shard goes on',
  async act({ service, aws, stack }) {
    const project = await service.newProject('poisoned')
    expectEqual((await service.send(project, [{ event: 'before' }])).status, 202, 'the answer')
    const poison = [randomBytes(700), Buffer.from('{"kind":"events"}'), Buffer.from([0])]
    await aws.kinesis.send(
      new PutRecordsCommand({
        StreamName: stack.stream,
        Records: poison.map((Data, i) => ({ Data, PartitionKey: `poison-${i}` })),
      }),
    )
    expectEqual((await service.send(project, [{ event: 'after' }])).status, 202, 'the answer')
    return async () => {
      const stored = await service.untilStored(project, 2)
      expectEqual(stored.map(({ event }) => event).toSorted(), ['after', 'before'], 'the events')
      const lake = createS3Lake({ client: aws.s3, bucket: stack.bucket })
      const kept = await eventually(async () => {
        const objects = await lake.list('quarantine/')
        const texts = await Promise.all(objects.map(async ({ key }) => await lake.get(key)))
        const lines = texts.flatMap(bytes =>
          Buffer.from(bytes ?? [])
            .toString('utf8')
            .trim()
            .split('\n'),
        )
        const found = lines.map(line => (JSON.parse(line) as { data: string }).data)
        expectEqual(
          found.toSorted(),
          poison.map(data => data.toString('base64')).toSorted(),
          'the quarantine',
        )
        return lines
      })
      return `${kept.length} records set aside whole, with their reasons`
    }
  },
}
