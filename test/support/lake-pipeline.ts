import { createLakeConsumer } from '#core/lake/consumer'
import { createLakeWorker, type LakeJob } from '#core/lake/jobs'
import { createMaintenance, MAINTENANCE_DEFAULTS, type MaintenanceSettings } from '#core/lake/maintenance'
import { createRepair } from '#core/lake/repair'
import type { Log } from '#core/ports'
import { eventsRecord } from './events-record.ts'
import { createMemoryLakeState } from './memory-lake-state.ts'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedQueue,
  createSimulatedStream,
  createSimulatedUsage,
  encodeSimulated,
} from './simulated-ports.ts'

/** The lake's code over the simulator's fakes, with a clock that the test sets: for tests of one thing at a time. */
export function createLakePipeline(settings: Partial<MaintenanceSettings> = {}) {
  const clock = { time: Date.UTC(2026, 10, 1), now: () => clock.time }
  const logged: string[] = []
  const log: Log = code => void logged.push(code)
  const state = createMemoryLakeState()
  const stream = createSimulatedStream()
  const lake = createSimulatedLake()
  const jobs = createSimulatedQueue()
  const { usage, items } = createSimulatedUsage()
  const compactor = createSimulatedCompactor(lake)
  const senders: string[] = []
  const consumer = createLakeConsumer({
    ...{ state, stream, lake, usage, clock, log, encode: encodeSimulated },
    projects: { noteEventIds: async id => void senders.push(id) },
  })
  const worker = createLakeWorker({
    state,
    lake,
    compactor,
    usage,
    projects: { byId: async () => null },
    log,
  })
  const restarted = (changes: Partial<MaintenanceSettings> = {}) =>
    createMaintenance(
      { state, lake, jobs, clock, log },
      { ...MAINTENANCE_DEFAULTS, coldSpanMs: 0, ...settings, ...changes },
    )
  const maintenance = restarted()
  const repair = createRepair({ consumer, worker, log })

  /** Puts a record of these events' names on the shard. */
  const accept = (...names: string[]) => stream.accept('s0', eventsRecord(names, clock.time))

  return {
    clock,
    log,
    logged,
    /** Projects that were noted to send event_ids. */
    senders,
    state,
    stream,
    lake,
    jobs,
    counted: items,
    compactor,
    consumer,
    worker,
    maintenance,
    /** Maintenance as a new process has it, with changes of its settings. */
    restarted,
    repair,
    accept,
    /** The same, and has it taken into the lake. */
    async consumed(...names: string[]) {
      accept(...names)
      await consumer.consume('s0')
    },
    /** Runs what maintenance finds due, and its jobs, until it finds nothing more to send. */
    async settle() {
      for (let i = 0; i < 10; i++) {
        await maintenance.tick()
        for (const job of jobs.jobs.splice(0)) await worker.run(job as LakeJob)
      }
    },
    keys: (prefix: string) => [...lake.objects.keys()].filter(key => key.startsWith(prefix)).toSorted(),
  }
}
