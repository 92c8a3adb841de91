import type { KinesisStreamEvent } from 'aws-lambda'
import { expect, test } from 'vitest'
import { liveHandler } from '#lambdas/live/handler'
import { kinesisEvent } from '#test/support/lambda-events'
import { liveRecord, toEntry } from '#test/support/live-records'

const entry = (sequence: number) => toEntry(liveRecord(sequence, 1_000, [{}]), 'p')

test('the records of each shard reach the consumer in the order of the shard', async () => {
  const batches: [string, string[]][] = []
  const handle = liveHandler({
    consumer: {
      async consumeBatch(shard, batch) {
        batches.push([shard, batch.map(({ sequence }) => sequence)])
        return batch.length
      },
    },
    log: () => expect.unreachable(),
  })
  await handle(
    kinesisEvent('shardId-000000000001', [entry(10), entry(9), entry(11)]) as unknown as KinesisStreamEvent,
  )
  expect(batches).toEqual([['shardId-000000000001', ['9', '10', '11']]])
})

test('a batch that fails is logged and thrown back to Lambda', async () => {
  const logged: unknown[] = []
  const handle = liveHandler({
    consumer: { consumeBatch: () => Promise.reject(new Error('throttled')) },
    log: (code, fields) => void logged.push([code, fields]),
  })
  await expect(
    handle(kinesisEvent('shardId-000000000001', [entry(1)]) as unknown as KinesisStreamEvent),
  ).rejects.toThrow('throttled')
  expect(logged).toEqual([
    ['LIVE_BATCH_FAILED', { shard: 'shardId-000000000001', records: 1, error: 'Error: throttled' }],
  ])
})
