import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { reconcile } from '#core/lake/restore/reconcile'
import { restoreLake } from '#core/lake/restore/restore-lake'
import type { Lake } from '#core/ports'
import type { Project } from '#core/projects/project'
import { bucketOf } from '#core/state/bucket-of'
import { createLakeStores, createStores } from '#core/stores'
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

/**
 * The counters of a lake that is older than its state, with the real counters. restore-lake.test.ts has the
 * files.
 */

let table: TestState
beforeAll(async () => {
  table = await openTestState()
})
afterAll(() => table.close())

const EPOCH_MS = 600_000
const SHARD = 's0'

function openWorld() {
  const clock = createFakeClock(Date.UTC(2026, 10, 1), { movesItself: true })
  const lake = createSimulatedLake()
  const { usage } = createStores(table, clock)
  const { lakeState: state } = createLakeStores({ ...table, lake }, clock)
  const stream = createSimulatedStream()
  const jobs = createSimulatedQueue()
  const log = () => {}
  const services = {
    ...{ state, stream, lake, usage, clock, log, encode: encodeSimulated },
    projects: { noteEventIds: async () => {}, byId: async () => ({ account_id: 'acct_1' }) as Project },
    ...{ compactor: createSimulatedCompactor(lake), tombstones: noMending },
  }
  const consumer = createLakeConsumer(services)
  const worker = createLakeWorker(services)
  const maintenance = createMaintenance({ ...services, jobs, ...noReceipts })
  // Each record has a time of its own: events of the same time and seq are copies.
  const accept = (...names: string[]) =>
    stream.accept(SHARD, Object.assign(eventsRecord(names, ++clock.time), { bucket: bucketOf('proj_1') }))
  return {
    lake,
    accept,
    async acceptAndConsume(...names: string[]) {
      accept(...names)
      await consumer.consume(SHARD)
    },
    consume: () => consumer.consume(SHARD),
    /** A consumer that dies at the call of this port, with a claim open. */
    async consumeAndCrashAt(port: 'put' | 'addBots'): Promise<void> {
      const crash = () => Promise.reject(new Error('The process has crashed.'))
      const crashing = createLakeConsumer({
        ...services,
        lake: { ...lake, ...(port === 'put' && { put: crash }) } as Lake,
        usage: { ...usage, ...(port === 'addBots' && { addBots: crash }) },
      })
      await expect(crashing.consume(SHARD)).rejects.toThrow('crashed')
    },
    async compactAll(): Promise<void> {
      clock.time += EPOCH_MS
      for (let i = 0; i < 4; i++) {
        await maintenance.tick()
        for (const job of jobs.jobs.splice(0)) await worker.run(job as LakeJob)
      }
    },
    async restore(): Promise<void> {
      await reconcile({ ...services, consumer })
      await restoreLake({ ...services, consumer, tombstones: noMending, repeatErasures: nothingErased })
    },
    countedEvents: async () => (await usage.totals(['proj_1']))[0]?.events,
  }
}

for (const port of ['put', 'addBots'] as const) {
  test(`a claim that was open when an older lake is restored is counted once (crash at ${port})`, async () => {
    await table.empty()
    const { lake, accept, acceptAndConsume, consume, consumeAndCrashAt, compactAll, restore, countedEvents } =
      openWorld()
    await acceptAndConsume('a')
    await compactAll()
    const backup = new Map(lake.objects)
    await acceptAndConsume('b', 'c')
    accept('d', 'e', 'f')
    await consumeAndCrashAt(port)
    lake.objects.clear()
    for (const [key, bytes] of backup) lake.objects.set(key, bytes)

    await restore()
    await consume()
    expect(await countedEvents()).toBe(6)
    await acceptAndConsume('g')
    expect(await countedEvents()).toBe(7)
    await compactAll()
    expect(await countedEvents()).toBe(7)
  })
}
