import { randomBytes } from 'node:crypto'
import { PutRecordsCommand } from '@aws-sdk/client-kinesis'
import { createS3Lake } from '#aws/lake'
import { eventually } from '#test/support/eventually'
import { type Check, expectEqual } from './check.ts'

export const poisonedRecord: Check = {
  name: 'records that cannot be read go to quarantine and do not stop their shard',
  async act({ service, aws, stack }) {
    const project = await service.createProject('poisoned')
    expectEqual((await service.send(project, [{ event: 'before' }])).status, 202, 'the status')
    const poison = [randomBytes(700), Buffer.from('{"kind":"events"}'), Buffer.from([0])]
    await aws.kinesis.send(
      new PutRecordsCommand({
        StreamName: stack.stream,
        Records: poison.map((Data, i) => ({ Data, PartitionKey: `poison-${i}` })),
      }),
    )
    expectEqual((await service.send(project, [{ event: 'after' }])).status, 202, 'the status')
    return async () => {
      const stored = await service.waitForEvents(project, 2)
      expectEqual(stored.map(({ event }) => event).toSorted(), ['after', 'before'], 'stored events')
      const lake = createS3Lake({ client: aws.s3, bucket: stack.bucket })
      const quarantined = await eventually(async () => {
        const objects = await lake.list('quarantine/')
        const texts = await Promise.all(objects.map(async ({ key }) => await lake.get(key)))
        const lines = texts.flatMap(bytes =>
          Buffer.from(bytes ?? [])
            .toString('utf8')
            .trim()
            .split('\n'),
        )
        const data = lines.map(line => (JSON.parse(line) as { data: string }).data)
        expectEqual(
          data.toSorted(),
          poison.map(data => data.toString('base64')).toSorted(),
          'records in quarantine',
        )
        return lines
      })
      return `${quarantined.length} records in quarantine, unchanged`
    }
  },
}
