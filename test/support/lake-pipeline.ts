import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { MAINTENANCE_DEFAULTS, type MaintenanceSettings } from '#core/lake/compact/maintenance-settings'
import { createRepair } from '#core/lake/compact/repair'
import { createLakeConsumer, type LakeConsumerServices } from '#core/lake/consume/consumer'
import type { Log } from '#core/ports'
import type { Project } from '#core/projects/project'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedQueue,
  createSimulatedStream,
  createSimulatedUsage,
  encodeSimulated,
} from '#test/simulation/simulated-ports'
import { eventsRecord } from './events-record.ts'
import { createMemoryLakeState } from './memory-lake-state.ts'
import { noIdentity } from './no-identity.ts'
import { noMending, noReceipts } from './no-receipts.ts'

/**
 * Creates consumer, worker, maintenance and repair over in-memory ports, with a clock that the test sets.
 * Calls do not overlap here; tests of overlapping calls use simulate-schedule.ts.
 */
export function createLakePipeline(
  settings: Partial<MaintenanceSettings> = {},
  options: Pick<LakeConsumerServices, 'encode'> & { pageKeys?: number; slicePages?: number } = {},
) {
  const { encode = encodeSimulated, pageKeys, slicePages } = options
  const clock = { time: Date.UTC(2026, 10, 1), now: () => clock.time }
  const logged: string[] = []
  const log: Log = code => void logged.push(code)
  const lake = createSimulatedLake(pageKeys)
  const state = createMemoryLakeState(lake, clock)
  const stream = createSimulatedStream()
  const jobs = createSimulatedQueue()
  const { usage, claimed, folded } = createSimulatedUsage()
  const compactor = createSimulatedCompactor(lake)
  const projectsWithEventIds: string[] = []
  const consumer = createLakeConsumer({
    ...{ state, stream, lake, usage, clock, log, encode },
    projects: { noteEventIds: async id => void projectsWithEventIds.push(id) },
  })
  const worker = createLakeWorker({
    state,
    lake,
    compactor,
    usage,
    projects: { byId: async () => ({ account_id: 'acct_1' }) as Project },
    tombstones: noMending,
    sweeps: { ...settings, ...(slicePages !== undefined && { slicePages }) },
    clock,
    log,
  })
  const restartMaintenance = (changes: Partial<MaintenanceSettings> = {}) =>
    createMaintenance(
      { state, lake, jobs, usage, stream, ...noReceipts, clock, log },
      { ...MAINTENANCE_DEFAULTS, ...settings, ...changes },
    )
  const maintenance = restartMaintenance()
  const repair = createRepair({
    ...{ consumer, worker, state, log },
    identity: noIdentity,
    tombstones: noMending,
  })

  /** Appends a record with one event per name to the shard. */
  const accept = (...names: string[]) => stream.accept('s0', eventsRecord(names, clock.time))

  async function settle(run: (job: LakeJob) => Promise<void>): Promise<void> {
    for (let i = 0; i < 10; i++) {
      await maintenance.tick()
      for (const job of jobs.jobs.splice(0)) await run(job)
    }
  }

  return {
    clock,
    log,
    logged,
    /** Ids of the projects for which `noteEventIds` was called. */
    projectsWithEventIds,
    state,
    stream,
    lake,
    jobs,
    /** The counts of claims by shard and last record. */
    claimed,
    /** The counted events by bucket and epoch. */
    folded,
    compactor,
    consumer,
    worker,
    maintenance,
    /** Creates maintenance with an empty memory, as after a restart, with changed settings. */
    restartMaintenance,
    repair,
    accept,
    /** Appends the record and consumes it, so that the events are in the lake. */
    async acceptAndConsume(...names: string[]) {
      accept(...names)
      await consumer.consume('s0')
    },
    /** Runs maintenance and its jobs until nothing is left to do. */
    settle: () => settle(job => worker.run(job)),
    /** The same, with jobs that may fail. */
    settleIgnoringFailures: () => settle(job => worker.run(job).catch(() => {})),
    keys: (prefix: string) => [...lake.objects.keys()].filter(key => key.startsWith(prefix)).toSorted(),
  }
}
