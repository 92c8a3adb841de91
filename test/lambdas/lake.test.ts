import type { KinesisStreamEvent } from 'aws-lambda'
import { expect, test } from 'vitest'
import { packRecord } from '#core/ingest/record'
import type { StreamEntry } from '#core/ports'
import { type LakeServices, lakeHandler } from '#lambdas/lake/handler'
import { eventsRecord, lakeWorld } from '../support/lake-world.ts'
import { kinesisEvent } from '../support/lambda-events.ts'

/** Real sequence numbers: beyond what a double holds, so that only integers compare. */
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
  const world = lakeWorld()
  const { consumer, state, log } = world
  const finishOrphanedClaims = async () => {}
  const handle = lakeHandler({ consumer, state, finishOrphanedClaims, log, ...changes })
  const stored = () => world.keys('hot/').map(key => world.lake.rows(key).map(row => row.id))
  return { world, handle, stored }
}

test('a batch goes into the lake once, however often it comes and wherever it is cut', async () => {
  const { handle, stored } = setUp()
  const all = entries('a', 'b', 'c')
  for (const batch of [all.slice(0, 2), all, all.slice(1)]) {
    expect(await handle(asEvent('shardId-000000000006', batch))).toEqual({ batchItemFailures: [] })
  }
  expect(stored()).toEqual([['a', 'b'], ['c']])
})

test('that claims of shards that are gone cannot be ended fails no batch, and is logged', async () => {
  const finishOrphanedClaims = () => Promise.reject(new Error('no stream'))
  const { handle, stored, world } = setUp({ finishOrphanedClaims })
  expect(await handle(asEvent('shardId-000000000006', entries('a')))).toEqual({ batchItemFailures: [] })
  expect([stored(), world.logged]).toEqual([[['a']], ['JOB_FAILED']])
})

test('records that come out of order, or of two shards, are put in theirs', async () => {
  const { handle, world } = setUp()
  const [first, second] = entries('a', 'b') as [StreamEntry, StreamEntry]
  const event = asEvent('shardId-1', [second, first])
  event.Records.push(...asEvent('shardId-2', [first]).Records)
  expect(await handle(event)).toEqual({ batchItemFailures: [] })
  expect((await world.state.shard('shardId-1')).highWater).toBe(second.sequence)
  expect((await world.state.shard('shardId-2')).highWater).toBe(first.sequence)
})

test('a failure reports the first record beyond what the lake holds by then', async () => {
  const all = entries('a', 'b', 'c')
  const world = lakeWorld()
  const { handle } = setUp({
    state: world.state,
    consumer: {
      async consumeBatch(shard, batch) {
        await world.consumer.consumeBatch(shard, batch.slice(0, 2))
        throw new Error('the bucket does not answer')
      },
    },
    log: world.log,
  })
  expect(await handle(asEvent('s', all))).toEqual({
    batchItemFailures: [{ itemIdentifier: all[2]?.sequence }],
  })
  expect(world.logged).toEqual(['LAKE_BATCH_FAILED'])
})

test('a failure after the last record was taken reports none', async () => {
  const world = lakeWorld()
  const { handle } = setUp({
    state: world.state,
    consumer: {
      async consumeBatch(shard, batch) {
        await world.consumer.consumeBatch(shard, batch)
        throw new Error('too late')
      },
    },
  })
  expect(await handle(asEvent('s', entries('a')))).toEqual({ batchItemFailures: [] })
})

test('where not even the state can be read the whole batch comes again', async () => {
  const fails = () => Promise.reject(new Error('no table'))
  const { handle } = setUp({ consumer: { consumeBatch: fails }, state: { shard: fails } })
  const all = entries('a', 'b')
  expect(await handle(asEvent('s', all))).toEqual({
    batchItemFailures: [{ itemIdentifier: all[0]?.sequence }],
  })
})
