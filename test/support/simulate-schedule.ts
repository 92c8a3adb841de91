import type { StreamRecord } from '#core/ingest/record'
import { createLakeConsumer } from '#core/lake/consumer'
import { createLakeWorker } from '#core/lake/jobs'
import { createMaintenance } from '#core/lake/maintenance'
import { reconcile } from '#core/lake/reconcile'
import { createMemoryLakeState } from './memory-lake-state.ts'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedQueue,
  createSimulatedStream,
  createSimulatedUsage,
  encodeSimulated,
  type SimulatedShard,
} from './simulated-ports.ts'
import { createSimulatedProcesses, type SimulatedProcess } from './simulated-processes.ts'
import { checkIds, idsInLake, visibleIds } from './simulation-checks.ts'

/** Counts of what happened, so that a test can check that the schedules reach rare states. */
export type SimulationReport = {
  seed: number
  turns: number
  accepted: number
  crashes: number
  reads: number
  /** Taken from the state before the final recovery, so epochs that a power cut took back are not in it. */
  epochsClosed: number
  epochsCompactedToCold: number
  reshards: number
  powerCuts: number
}

const START = Date.UTC(2026, 10, 1)
const MINUTE = 60_000
const SETTINGS = {
  epochMs: 5 * MINUTE,
  epochFiles: 2,
  epochBytes: Number.POSITIVE_INFINITY,
  coldAfterMs: 30 * MINUTE,
  coldSpanMs: 10 * MINUTE,
  /** A simulated object counts as one byte. */
  coldBytes: 4,
  resendMs: 5 * MINUTE,
  queueSince: 0,
  keepSupersededMs: 24_000 * MINUTE,
}
/** Longest time of a read. A real read ends long before superseded files are deleted, so slower ones are not checked. */
const MAX_READ_MS = 6_000 * MINUTE

/**
 * Runs one random schedule of the whole lake. Events arrive. Batches are delivered, cut at any record, again, or while
 * another consumer is wrongly believed dead. Processes crash or stall at any await, and shards split. Epochs are closed
 * and compacted by workers, whose jobs may come late or twice. Readers read at any time. After every turn, the result of
 * a read is compared with the accepted events. Throws an Error that names the seed.
 *
 * `powerCuts` simulates one machine instead of AWS: all processes die, the state table goes back to an earlier time while
 * stream and lake stay, and the next start reconciles them.
 */
export async function simulateSchedule(
  seed: number,
  options: { turns?: number; powerCuts?: boolean } = {},
): Promise<SimulationReport> {
  const { turns = 1000, powerCuts = false } = options
  const processes = createSimulatedProcesses(seed)
  const { random, chance, pick } = processes
  let now = START
  const clock = { now: () => now }
  const stream = createSimulatedStream()
  const lake = createSimulatedLake()
  const state = createMemoryLakeState()
  const queue = createSimulatedQueue()
  const counters = createSimulatedUsage()
  const log = () => {}
  const report: SimulationReport = {
    seed,
    turns: 0,
    accepted: 0,
    crashes: 0,
    reads: 0,
    epochsClosed: 0,
    epochsCompactedToCold: 0,
    reshards: 0,
    powerCuts: 0,
  }
  /** Number of delivered entries by shard. */
  const delivered = new Map<string, number>()
  const invocations = new Map<string, SimulatedProcess>()
  const backups: { state: ReturnType<typeof state.save>; counters: typeof counters.items }[] = []

  /** The lake's code in one process. The process can be stopped or killed before and after every call of a port. */
  function services(process: SimulatedProcess) {
    const ports = {
      state: processes.interruptible(process, state),
      stream: processes.interruptible(process, stream),
      lake: processes.interruptible(process, lake),
      usage: processes.interruptible(process, counters.usage),
      jobs: processes.interruptible(process, queue),
    }
    const projects = { byId: async () => null, noteEventIds: async () => {} }
    const consumer = createLakeConsumer({ ...ports, projects, clock, log, encode: encodeSimulated })
    const worker = createLakeWorker({
      ...ports,
      compactor: createSimulatedCompactor(ports.lake),
      projects,
      log,
    })
    const maintenance = createMaintenance({ ...ports, clock, log }, SETTINGS)
    return { ...ports, consumer, worker, maintenance }
  }

  function advanceClock(maxMs: number): void {
    now += Math.floor(random() * maxMs)
  }

  function accept(): void {
    const openShards = [...stream.byName].filter(([, shard]) => shard.open).map(([name]) => name)
    const bucket = Math.floor(random() * 3)
    const events = Array.from({ length: 1 + Math.floor(random() * 2) }, () => ({
      event: `e${report.accepted++}`,
      properties: null,
      user_id: null,
      session_id: null,
      timestamp: now - Math.floor(random() * 3) * 86_400_000,
      event_id: null,
    }))
    const record: StreamRecord = {
      kind: 'events',
      project_id: `p${bucket}`,
      account_id: 'a',
      bucket,
      received_at: START,
      seq: report.accepted,
      country: null,
      events,
    }
    stream.accept(pick(openShards), record)
    if (chance(0.03)) stream.accept(pick(openShards), null)
  }

  /** Invokes the consumer as the event source mapping of a shard does, with a batch of random length. */
  function deliver(name: string, shard: SimulatedShard): void {
    const from = delivered.get(name) ?? 0
    if (invocations.get(name)?.running || from >= shard.entries.length) return
    const until = from + 1 + Math.floor(random() * Math.min(6, shard.entries.length - from))
    const process = processes.start(async self => {
      await services(self).consumer.consumeBatch(name, shard.entries.slice(from, until))
      // After a partial response or a lost checkpoint, a part of the batch is delivered again.
      delivered.set(name, chance(0.2) ? from + Math.floor(random() * (until - from)) : until)
    })
    invocations.set(name, process)
  }

  function runJob(): void {
    const job = queue.jobs[Math.floor(random() * queue.jobs.length)]
    if (job === undefined) return
    if (chance(0.7)) queue.jobs.splice(queue.jobs.indexOf(job), 1)
    processes.start(self => services(self).worker.run(job))
  }

  function reshard(): void {
    const [name, shard] = pick([...stream.byName].filter(([, candidate]) => candidate.open))
    shard.open = false
    for (const child of ['l', 'r']) stream.byName.set(`${name}${child}`, { entries: [], open: true })
    report.reshards++
  }

  /** Starts a reader that reads the snapshot once and then lists the three tiers, one after the other. */
  function read(): void {
    processes.start(async self => {
      const { state: stateOfReader, lake: lakeOfReader } = services(self)
      const startedAt = now
      const expectedIds = idsInLake(stream, state)
      const snapshot = await stateOfReader.lake()
      const keys: string[] = []
      for (const tier of processes.shuffled(['hot', 'warm', 'cold'])) {
        keys.push(...(await lakeOfReader.list(`${tier}/`)).map(object => object.key))
      }
      if (now - startedAt > MAX_READ_MS) return
      check(visibleIds(lake, snapshot, keys), expectedIds, 'a read over several turns')
      report.reads++
    })
  }

  function check(ids: string[], expectedIds: string[], read: string): void {
    try {
      checkIds(ids, expectedIds, read)
    } catch (error) {
      throw new Error(`Seed ${seed}, turn ${report.turns}: ${(error as Error).message}.`)
    }
  }

  let lastCheckedChanges = ''
  /** Checks a read that takes no time. Does nothing when neither lake nor state has changed since the last check. */
  function checkNow(): void {
    const changes = `${lake.changes} ${state.changes()}`
    if (changes === lastCheckedChanges) return
    lastCheckedChanges = changes
    const ids = visibleIds(lake, state.peekLake(), lake.objects.keys())
    check(ids, idsInLake(stream, state), 'an instant read')
  }

  /** Runs turns until no process waits. */
  async function settle(): Promise<void> {
    while (processes.areWaiting()) {
      await processes.turn()
      checkNow()
    }
  }

  async function powerCut(): Promise<void> {
    const backup = pick(backups)
    processes.killAll()
    advanceClock(180 * MINUTE) // The machine is off.
    queue.jobs.length = 0
    invocations.clear()
    state.restore(backup.state)
    counters.items.clear()
    for (const [key, item] of backup.counters) counters.items.set(key, { ...item })
    const restart = processes.start(async self => {
      await reconcile({ ...services(self), clock, log })
    })
    while (restart.running) await processes.turn()
    if (restart.error !== undefined) throw restart.error
    backups.length = 0
    report.powerCuts++
  }

  const actions: [weight: number, act: () => void | Promise<void>][] = [
    [6, accept],
    [5, () => deliver(...pick([...stream.byName]))],
    [5, () => void processes.start(self => services(self).maintenance.tick())],
    [4, runJob],
    [1, read],
    [2, () => advanceClock(MINUTE)],
    [2, () => advanceClock(90 * MINUTE)],
    [1, () => void (processes.killOne() && report.crashes++)],
    // The consumer is believed dead, so another one starts, but it still runs.
    [1, () => void (invocations.size > 0 && invocations.delete(pick([...invocations.keys()])))],
    [1, () => processes.stallOne()],
    // Without quiet times, nearly every schedule ended before its first cold compaction.
    [2, settle],
    ...(powerCuts
      ? ([] as never[])
      : ([[1.5, () => void (stream.byName.size < 12 && reshard())]] as [number, () => void][])),
    [150, () => processes.turn()],
  ]

  for (; report.turns < turns; report.turns++) {
    await processes.weighted(actions)()
    checkNow()
    if (processes.failure !== undefined) throw processes.failure
    if (powerCuts) {
      if (chance(0.04)) backups.push({ state: state.save(), counters: structuredClone(counters.items) })
      if (backups.length > 0 && chance(0.004)) await powerCut()
    }
  }

  // Before the recovery, which closes and compacts epochs after every schedule. Epochs count from 1, and the newest one is
  // open.
  const { epoch: openEpoch, cold } = state.peekLake()
  report.epochsClosed = openEpoch - 1
  report.epochsCompactedToCold = cold - 1

  // Recovery: no process crashes or stalls any more, so every event must arrive and be counted.
  processes.wakeAll()
  for (let round = 0; round < 400; round++) {
    for (const [name, shard] of stream.byName) deliver(name, shard)
    processes.start(self => services(self).maintenance.tick())
    runJob()
    await settle()
    if (processes.failure !== undefined) throw processes.failure
    now += 10 * MINUTE // Leases and jobs of killed processes expire.
    const { epoch, warm } = state.peekLake()
    if (idsInLake(stream, state).length === report.accepted && warm === epoch && round > 12) break
  }
  const acceptedIds = Array.from({ length: report.accepted }, (_, i) => `e${i}`)
  check(visibleIds(lake, state.peekLake(), lake.objects.keys()), acceptedIds, 'the last read')
  const countedEvents = [...counters.items].reduce(
    (sum, [key, item]) => sum + (key.startsWith('a ') ? item.events : 0),
    0,
  )
  if (countedEvents !== report.accepted)
    throw new Error(`Seed ${seed}: ${countedEvents} events were counted and ${report.accepted} accepted.`)
  return report
}
