import type { KinesisStreamEvent } from 'aws-lambda'
import { expect, test } from 'vitest'
import { packRecord } from '#core/ingest/record'
import type { StreamEntry } from '#core/ports'
import { type LakeServices, lakeHandler } from '#lambdas/lake/handler'
import { eventsRecord } from '#test/support/events-record'
import { createLakePipeline } from '#test/support/lake-pipeline'
import { kinesisEvent } from '#test/support/lambda-events'

/** A real sequence number. It is larger than a double can hold exactly, so only BigInt compares it. */
const SEQUENCE = 49_590_338_271_490_256_608_559_692_538_361_571_095_921_575_989_136_588_898n

function entries(...names: string[]): StreamEntry[] {
  return names.map((name, i) => ({
    sequence: String(SEQUENCE + BigInt(i)),
    data: packRecord(eventsRecord([name], 1_795_248_000_000)),
  }))
}

const asEvent = (shard: string, given: readonly StreamEntry[]) =>
  kinesisEvent(shard, given) as unknown as KinesisStreamEvent

function setUp(changes: Partial<LakeServices> = {}) {
  const pipeline = createLakePipeline()
  const { consumer, state, log } = pipeline
  const handle = lakeHandler({ consumer, state, afterBatch: async () => {}, log, ...changes })
  const stored = () => pipeline.keys('hot/').map(key => pipeline.lake.rows(key).map(row => row.id))
  return { pipeline, handle, stored }
}

test('a batch that arrives again, cut at other places, is stored once', async () => {
  const { handle, stored } = setUp()
  const all = entries('a', 'b', 'c')
  for (const batch of [all.slice(0, 2), all, all.slice(1)]) {
    expect(await handle(asEvent('shardId-000000000006', batch))).toEqual({ batchItemFailures: [] })
  }
  expect(stored()).toEqual([['a', 'b'], ['c']])
})

test('the work after a batch sees what the batch has stored', async () => {
  const seen: unknown[] = []
  const { handle, stored } = setUp({ afterBatch: async () => void seen.push(stored()) })
  expect(await handle(asEvent('shardId-000000000006', entries('a')))).toEqual({ batchItemFailures: [] })
  expect(seen).toEqual([[['a']]])
})

test('records of two shards, out of order, are stored in the order of their own shard', async () => {
  const { handle, pipeline } = setUp()
  const [first, second] = entries('a', 'b') as [StreamEntry, StreamEntry]
  const event = asEvent('shardId-1', [second, first])
  event.Records.push(...asEvent('shardId-2', [first]).Records)
  expect(await handle(event)).toEqual({ batchItemFailures: [] })
  expect((await pipeline.state.shard('shardId-1')).highWater).toBe(second.sequence)
  expect((await pipeline.state.shard('shardId-2')).highWater).toBe(first.sequence)
})

test('a failure reports the first record that is not in the lake yet', async () => {
  const all = entries('a', 'b', 'c')
  const pipeline = createLakePipeline()
  const { handle } = setUp({
    state: pipeline.state,
    consumer: {
      async consumeBatch(shard, batch) {
        await pipeline.consumer.consumeBatch(shard, batch.slice(0, 2))
        throw new Error('the S3 bucket does not respond')
      },
    },
    log: pipeline.log,
  })
  expect(await handle(asEvent('s', all))).toEqual({
    batchItemFailures: [{ itemIdentifier: all[2]?.sequence }],
  })
  expect(pipeline.logged).toEqual(['LAKE_BATCH_FAILED'])
})

test('a failure after the last record was stored reports no record', async () => {
  const pipeline = createLakePipeline()
  const { handle } = setUp({
    state: pipeline.state,
    consumer: {
      async consumeBatch(shard, batch) {
        await pipeline.consumer.consumeBatch(shard, batch)
        throw new Error('too late')
      },
    },
  })
  expect(await handle(asEvent('s', entries('a')))).toEqual({ batchItemFailures: [] })
})

test('if the state cannot be read after a failure, the whole batch is reported', async () => {
  const fails = () => Promise.reject(new Error('no table'))
  const state = { lake: createLakePipeline().state.lake, shard: fails }
  const { handle } = setUp({ consumer: { consumeBatch: fails }, state })
  const all = entries('a', 'b')
  expect(await handle(asEvent('s', all))).toEqual({
    batchItemFailures: [{ itemIdentifier: all[0]?.sequence }],
  })
})
