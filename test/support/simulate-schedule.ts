import type { StreamRecord } from '#core/ingest/record'
import { createLakeConsumer } from '#core/lake/consumer'
import { createLakeWorker } from '#core/lake/jobs'
import { partitionValue } from '#core/lake/keys'
import { createMaintenance } from '#core/lake/maintenance'
import { reconcile } from '#core/lake/reconcile'
import type { Snapshot } from '#core/lake/state'
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

/** What a schedule did, so that a test can show that the schedules do reach the corners. */
export type SimulationReport = {
  seed: number
  turns: number
  accepted: number
  crashes: number
  reads: number
  /** By the state at the end of the disorder: what a power cut took back does not count. */
  epochsClosed: number
  epochsRolled: number
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
/** A read that takes longer than this beside the deletion of finer copies would not be allowed to finish in life. */
const READ_MS = 6_000 * MINUTE

/**
 * One random schedule of the whole lake: events come in, batches are delivered cut anywhere, again, or to a consumer
 * beside one that is thought dead; processes crash or sleep at any await; shards split; epochs end, are compacted and
 * rolled by workers whose jobs come twice, late or only again; and readers read in between. After every turn, what a
 * read returns is checked against what was accepted. Throws an Error that names the seed.
 *
 * `powerCuts`: one machine instead of AWS: all processes die, the state table goes back to an earlier moment while
 * stream and lake stand, and the start reconciles them.
 */
export async function simulateSchedule(
  seed: number,
  options: { turns?: number; powerCuts?: boolean } = {},
): Promise<SimulationReport> {
  const { turns = 1000, powerCuts = false } = options
  const scheduler = createSimulatedProcesses(seed)
  const { random, chance, pick } = scheduler
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
    epochsRolled: 0,
    reshards: 0,
    powerCuts: 0,
  }
  const checkpoints = new Map<string, number>()
  const invocations = new Map<string, SimulatedProcess>()
  const earlier: { state: ReturnType<typeof state.save>; counters: typeof counters.items }[] = []

  /** The lake's code as one process of the service runs it: every call of a port is a place to stop or die. */
  function services(process: SimulatedProcess) {
    const seen = {
      state: scheduler.interrupted(process, state),
      stream: scheduler.interrupted(process, stream),
      lake: scheduler.interrupted(process, lake),
      usage: scheduler.interrupted(process, counters.usage),
      jobs: scheduler.interrupted(process, queue),
    }
    const projects = { byId: async () => null, noteEventIds: async () => {} }
    const consumer = createLakeConsumer({ ...seen, projects, clock, log, encode: encodeSimulated })
    const worker = createLakeWorker({
      ...seen,
      compactor: createSimulatedCompactor(seen.lake),
      projects,
      log,
    })
    const maintenance = createMaintenance({ ...seen, clock, log }, SETTINGS)
    return { ...seen, consumer, worker, maintenance }
  }

  function pass(atMost: number): void {
    now += Math.floor(random() * atMost)
  }

  function accept(): void {
    const open = [...stream.byName].filter(([, shard]) => shard.open).map(([name]) => name)
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
    stream.accept(pick(open), record)
    if (chance(0.03)) stream.accept(pick(open), null)
  }

  /** The event source mapping of one shard: it starts the next invocation, with a batch cut anywhere. */
  function deliver(name: string, shard: SimulatedShard): void {
    const from = checkpoints.get(name) ?? 0
    if (invocations.get(name)?.running || from >= shard.entries.length) return
    const until = from + 1 + Math.floor(random() * Math.min(6, shard.entries.length - from))
    const process = scheduler.spawn(async self => {
      await services(self).consumer.consumeBatch(name, shard.entries.slice(from, until))
      // A partial response or a lost checkpoint brings a part of it again.
      checkpoints.set(name, chance(0.2) ? from + Math.floor(random() * (until - from)) : until)
    })
    invocations.set(name, process)
  }

  function runJob(): void {
    const job = queue.jobs[Math.floor(random() * queue.jobs.length)]
    if (job === undefined) return
    if (chance(0.7)) queue.jobs.splice(queue.jobs.indexOf(job), 1)
    scheduler.spawn(self => services(self).worker.run(job))
  }

  function reshard(): void {
    const [name, shard] = pick([...stream.byName].filter(([, found]) => found.open))
    shard.open = false
    for (const child of ['l', 'r']) stream.byName.set(`${name}${child}`, { entries: [], open: true })
    report.reshards++
  }

  /** A reader that takes its snapshot once and then looks at the three tables, one after the other. */
  function read(): void {
    scheduler.spawn(async self => {
      const seen = services(self)
      const started = now
      const before = inLake()
      const snapshot = await seen.state.lake()
      const keys: string[] = []
      for (const table of scheduler.shuffled(['hot', 'warm', 'cold'])) {
        keys.push(...(await seen.lake.list(`${table}/`)).map(object => object.key))
      }
      if (now - started > READ_MS) return
      check(visible(snapshot, keys), before, 'a read over several turns')
      report.reads++
    })
  }

  /** The ids that a snapshot shows, by the predicate of design.md (Snapshots). */
  function visible({ cold, warm, epoch }: Snapshot, keys: Iterable<string>): string[] {
    const ids: string[] = []
    for (const key of keys) {
      const table = key.slice(0, key.indexOf('/'))
      if (table !== 'hot' && table !== 'warm' && table !== 'cold') continue
      for (const row of lake.rows(key)) {
        const at = table === 'cold' ? (row.epoch as number) : Number(partitionValue(key, 'epoch'))
        const shown =
          table === 'cold'
            ? at < cold
            : table === 'warm'
              ? at >= cold && at < warm
              : at >= warm && at <= epoch
        if (shown) ids.push(row.id)
      }
    }
    return ids
  }

  /** Ids that must be seen: those at or below their shard's highWater. */
  function inLake(): string[] {
    const ids: string[] = []
    for (const [name, { entries }] of stream.byName) {
      const mark = state.peek(name)?.highWater ?? null
      if (mark === null) continue
      const reached = BigInt(mark)
      for (const entry of entries) if (entry.at <= reached) ids.push(...entry.ids)
    }
    return ids
  }

  function check(seen: string[], wanted: string[], what: string): void {
    const once = new Set(seen)
    if (once.size !== seen.length) {
      const twice = seen.find((id, i) => seen.indexOf(id) !== i)
      throw new Error(`seed ${seed}, turn ${report.turns}: ${what} returns ${twice} twice`)
    }
    const missing = wanted.find(id => !once.has(id))
    if (missing !== undefined)
      throw new Error(`seed ${seed}, turn ${report.turns}: ${what} misses ${missing}`)
  }

  let checked = ''
  function checkNow(): void {
    const changes = `${lake.changes} ${state.changes()}`
    if (changes === checked) return
    checked = changes
    check(visible(state.peekLake(), lake.objects.keys()), inLake(), 'a read at once')
  }

  /** Lets all that runs come to its end. */
  async function settle(): Promise<void> {
    while (scheduler.busy()) {
      await scheduler.turn()
      checkNow()
    }
  }

  async function powerCut(): Promise<void> {
    const back = pick(earlier)
    scheduler.killAll()
    pass(180 * MINUTE) // off for a while
    queue.jobs.length = 0
    invocations.clear()
    state.restore(back.state)
    counters.items.clear()
    for (const [key, item] of back.counters) counters.items.set(key, { ...item })
    const restart = scheduler.spawn(async self => {
      const seen = services(self)
      await reconcile({ ...seen, clock, log })
    })
    while (restart.running) await scheduler.turn()
    if (restart.error !== undefined) throw restart.error
    earlier.length = 0
    report.powerCuts++
  }

  const actions: [weight: number, act: () => void | Promise<void>][] = [
    [6, accept],
    [5, () => deliver(...pick([...stream.byName]))],
    [5, () => void scheduler.spawn(self => services(self).maintenance.tick())],
    [4, runJob],
    [1, read],
    [2, () => pass(MINUTE)],
    [2, () => pass(90 * MINUTE)],
    [1, () => void (scheduler.killOne() && report.crashes++)],
    // Thought dead, so that another takes its place, but only asleep.
    [1, () => void (invocations.size > 0 && invocations.delete(pick([...invocations.keys()])))],
    [1, () => scheduler.stallOne()],
    // A quiet while: without it nearly every schedule ended before its first roll.
    [2, settle],
    ...(powerCuts
      ? ([] as never[])
      : ([[1.5, () => void (stream.byName.size < 12 && reshard())]] as [number, () => void][])),
    [150, () => scheduler.turn()],
  ]

  for (; report.turns < turns; report.turns++) {
    await scheduler.weighted(actions)()
    checkNow()
    if (scheduler.failure !== undefined) throw scheduler.failure
    if (powerCuts) {
      if (chance(0.04)) earlier.push({ state: state.save(), counters: structuredClone(counters.items) })
      if (earlier.length > 0 && chance(0.004)) await powerCut()
    }
  }

  // Before the order, which closes and rolls whatever the schedule was. Epochs count from 1; `epoch` is still open, and
  // those below `cold` are rolled.
  const reached = state.peekLake()
  report.epochsClosed = reached.epoch - 1
  report.epochsRolled = reached.cold - 1

  // The disorder ends: everything must arrive, go cold and be counted.
  scheduler.wakeAll()
  for (let round = 0; round < 400; round++) {
    for (const [name, shard] of stream.byName) deliver(name, shard)
    scheduler.spawn(self => services(self).maintenance.tick())
    runJob()
    await settle()
    if (scheduler.failure !== undefined) throw scheduler.failure
    now += 10 * MINUTE // leases and sent jobs of the dead run out
    const { epoch, warm } = state.peekLake()
    if (inLake().length === report.accepted && warm === epoch && round > 12) break
  }
  const accepted = Array.from({ length: report.accepted }, (_, i) => `e${i}`)
  check(visible(state.peekLake(), lake.objects.keys()), accepted, 'the last read')
  const counted = [...counters.items].reduce(
    (sum, [key, item]) => sum + (key.startsWith('a ') ? item.events : 0),
    0,
  )
  if (counted !== report.accepted)
    throw new Error(`seed ${seed}: ${counted} events counted, ${report.accepted} accepted`)
  return report
}
