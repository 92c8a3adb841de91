import { expect, test } from 'vitest'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { segmentKeys } from '#core/lake/model/keys'
import { openLake } from '#core/lake/read/snapshot'
import type { StreamEntry } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createLakeStores, createStores } from '#core/stores'
import { restoreHandler } from '#lambdas/restore/handler'
import { BUCKETS } from '#schemas/columns'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedQueue,
  createSimulatedStream,
  encodeSimulated,
} from '#test/simulation/simulated-ports'
import { eventsRecord } from '#test/support/events-record'
import { createFakeClock } from '#test/support/fake-clock'
import { noMending, noReceipts, nothingErased } from '#test/support/no-receipts'
import { openTestState, type TestState } from '#test/support/test-state'
import { withRollups } from '#test/support/with-rollups'

/**
 * Restores the table to an earlier moment, in the steps of docs/aws.md (Backup and restore on AWS). After
 * that, no event is lost, and none is visible or counted twice.
 */

const SHARDS = ['shardId-000000000000', 'shardId-000000000001'] as const
const HOUR = 3_600_000

async function openWorld() {
  const state = await openTestState()
  const clock = createFakeClock(Date.UTC(2026, 10, 1), { movesItself: true })
  const lake = createSimulatedLake()
  const { usage, projects } = createStores(state, clock)
  const { lakeState } = createLakeStores({ ...state, lake }, clock)
  const stream = createSimulatedStream()
  stream.byName.clear()
  for (const shard of SHARDS) stream.byName.set(shard, { entries: [], open: true })
  const jobs = createSimulatedQueue()
  const log = () => {}
  const services = { state: lakeState, lake, usage, projects, clock, log }
  const consumer = createLakeConsumer({ ...services, stream, encode: encodeSimulated })
  const compactor = createSimulatedCompactor(lake)
  const worker = createLakeWorker({
    ...services,
    // The records name this account too.
    projects: { byId: async () => ({ account_id: 'acct_1' }) as Project },
    ...{ compactor, tombstones: noMending },
  })
  const restore = restoreHandler({
    ...{ ...services, stream, consumer, compactor, tombstones: noMending, repeatErasures: nothingErased },
    lake: withRollups(lake),
  })
  const maintenance = createMaintenance({ ...services, jobs, ...noReceipts })
  let sent = 0

  return {
    state,
    lake,
    /** Step 4. */
    restore,
    sent: () => Array.from({ length: sent }, (_, i) => `e${i + 1}`),
    /** Appends `count` records with one event each to the shard. */
    acceptRecords(shard: string, count: number): void {
      for (let i = 0; i < count; i++) stream.accept(shard, eventsRecord([`e${++sent}`], clock.time))
    },
    /** Delivers the newest `count` records of the shard, also if they were delivered before. */
    deliver: (shard: string, count: number): Promise<void> =>
      consumer.consumeBatch(shard, newest(shard, count)),
    /** Delivers records to a consumer that fails after opening the claim and before writing the file. */
    async deliverAndCrash(shard: string, count: number): Promise<void> {
      const failingConsumer = createLakeConsumer({
        ...{ ...services, stream, encode: encodeSimulated },
        lake: { ...lake, put: () => Promise.reject(new Error('The process has crashed.')) },
      })
      await failingConsumer.consumeBatch(shard, newest(shard, count)).catch(() => {})
    },
    /** Moves the clock, and runs ticks and jobs of maintenance. */
    async passHours(hours: number): Promise<void> {
      clock.time += hours * HOUR
      for (let i = 0; i < 4; i++) {
        await maintenance.tick()
        for (const job of jobs.jobs.splice(0)) await worker.run(job as LakeJob)
        clock.time += 60_000
      }
    },
    countedEvents: async (): Promise<number> => (await usage.totals(['proj_1']))[0]?.events ?? 0,
    /** Returns the event ids that a read sees now, with repetitions. */
    async visible(): Promise<string[]> {
      const opened = await openLake({ state: lakeState, lake })
      const buckets = Array.from({ length: BUCKETS }, async (_, bucket) => {
        const { segments, hot } = await opened.ofBucket(bucket)
        const files = segments.flatMap(segment => segmentKeys('segment_events', bucket, segment))
        return [...files, ...hot].flatMap(key => lake.rows(key)).filter(row => row.bucket === bucket)
      })
      return (await Promise.all(buckets)).flat().map(({ id }) => id)
    },
  }

  function newest(shard: string, count: number): StreamEntry[] {
    return (stream.byName.get(shard)?.entries ?? []).slice(-count)
  }
}

/** Step 3: writes the old items. Newer items stay. */
async function restoreItems({ client, table }: TestState, items: Record<string, unknown>[]): Promise<void> {
  for (const Item of items) await client.put({ TableName: table, Item })
}

const [a, b] = SHARDS
type World = Awaited<ReturnType<typeof openWorld>>

/**
 * The history of the lake before the restore. Each test restores the table to the moment after one of these
 * steps.
 */
const steps: ((world: World) => void | Promise<void>)[] = [
  world => {
    world.acceptRecords(a, 3)
    world.acceptRecords(b, 2)
    return world.deliver(a, 3)
  },
  world => world.deliver(b, 2),
  world => world.passHours(1),
  world => {
    world.acceptRecords(a, 2)
    return world.deliverAndCrash(a, 2)
  },
  world => world.deliver(a, 2),
  world => {
    world.acceptRecords(b, 4)
    return world.deliver(b, 4)
  },
  world => world.passHours(1),
  world => {
    world.acceptRecords(a, 3)
    return world.deliver(a, 3)
  },
]

/** Before any compaction, after one with an open claim, and one epoch behind. */
test.each([1, 4, 6])(
  'after a restore to step %d of 8, no event is lost, visible twice or counted twice',
  async step => {
    const world = await openWorld()
    try {
      let oldItems: Record<string, unknown>[] = []
      for (const [i, run] of steps.entries()) {
        await run(world)
        if (i + 1 === step)
          oldItems = (await world.state.client.scan({ TableName: world.state.table })).Items ?? []
      }
      const inLake = await world.visible()
      await restoreItems(world.state, oldItems)
      await world.restore()
      expect((await world.visible()).toSorted()).toEqual(expect.arrayContaining(inLake))
      // The next deliveries also hold records that the consumer had stored after the restored moment.
      world.acceptRecords(a, 2)
      world.acceptRecords(b, 1)
      await world.deliver(a, 7)
      await world.deliver(b, 5)
      expect((await world.visible()).toSorted()).toEqual(world.sent().toSorted())
      for (const hours of [1, 1, 60]) {
        await world.passHours(hours)
        expect((await world.visible()).toSorted()).toEqual(world.sent().toSorted())
      }
      expect(await world.countedEvents()).toBe(world.sent().length)
    } finally {
      await world.state.close()
    }
  },
)
