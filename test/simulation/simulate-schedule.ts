import type { StreamRecord } from '#core/ingest/record'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { createOldRecords } from '#core/lake/erase/old-records'
import { hotPrefix, parseHotKey, tombstoneKey } from '#core/lake/model/keys'
import { emptyManifest, nextMerge } from '#core/lake/model/manifest'
import { createManifestItems, type ManifestPointers } from '#core/lake/model/manifest-items'
import { createManifestStore } from '#core/lake/model/manifest-store'
import { createOldestUnread } from '#core/lake/read/freshness'
import { openLake } from '#core/lake/read/snapshot'
import { reconcileLake } from '#core/lake/restore/reconcile-lake'
import type { Log } from '#core/ports'
import type { Project } from '#core/projects/project'
import { restoreHandler } from '#lambdas/restore/handler'
import { BUCKETS } from '#schemas/columns'
import { createFakeClock } from '#test/support/fake-clock'
import { createMemoryLakeState } from '#test/support/memory-lake-state'
import { noMending, noReceipts, nothingErased } from '#test/support/no-receipts'
import { withRollups } from '#test/support/with-rollups'
import { failBuckets } from './failing-bucket.ts'
import { keepDeletions } from './simulated-deletions.ts'
import { type AcceptedEvent, createSimulatedErasures } from './simulated-erasures.ts'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedQueue,
  createSimulatedStream,
  createSimulatedUsage,
  encodeSimulated,
  hasName,
  isErased,
  type SimulatedRow,
  type SimulatedShard,
  simulatedRows,
  simulatedTombstones,
} from './simulated-ports.ts'
import { createSimulatedProcesses, type SimulatedProcess } from './simulated-processes.ts'
import { checkRows, idsInLake, readBucket, type VisibleRows, winnersInLake } from './simulation-checks.ts'

/** Counts of what happened, so that a test can check that the schedules reach rare states. */
export type SimulationReport = {
  seed: number
  turns: number
  accepted: number
  crashes: number
  reads: number
  /**
   * Records with an event_id that came before, and records that were appended again because their answer got
   * lost.
   */
  retries: number
  lostAnswers: number
  /** Retries with a credential of records that first came without one. */
  replacements: number
  /** Segments that were written anew because compactions replaced events of them. */
  exchanges: number
  /** Taken from the state before the final recovery, so epochs that a power cut took back are not in it. */
  epochsClosed: number
  merges: number
  /** Epochs that buckets have skipped because they have no event in them. */
  skips: number
  /** Compactions of a bucket that failed. */
  failures: number
  /** Calls of the lake that failed for a bucket that did not work for some time. */
  bucketFailures: number
  reshards: number
  /** Shards that the stream no longer had, and that maintenance has forgotten. */
  retiredShards: number
  powerCuts: number
  /** Restorations on AWS, and those of a table that was lost. */
  restorations: number
  lostTables: number
  /** Files that were deleted, and that a restoration has brought back. */
  undeleted: number
  /** Power cuts after which the state was older than superseded files are kept. */
  oldStates: number
  /** Erasures of a user or a project, and segments that were rewritten for them. */
  erasures: number
  rewrites: number
  /** Jobs that go on with the hot files where the one before them ended. */
  hotSlices: number
  standstills: number
  /** Manifests whose items got the form of the first edition. */
  oldItems: number
  /** Manifests that a start after a power cut has changed, because the lake has newer ones. */
  restored: number
}

const START = Date.UTC(2026, 10, 1)
const MINUTE = 60_000
const SETTINGS = {
  epochMs: 5 * MINUTE,
  erasureEpochMs: 2 * MINUTE,
  epochFiles: 2,
  epochBytes: Number.POSITIVE_INFINITY,
  jobBytes: 2,
  mergeSegments: 4,
  /** A simulated event has 100,000 bytes. */
  mergeBytes: 800_000,
  leaseMs: MINUTE,
  resendMs: 5 * MINUTE,
  queueSince: 0,
  keepSupersededMs: 180 * MINUTE,
  keepErasedMs: 60 * MINUTE,
  settlingMs: 10 * MINUTE,
  jobMs: 60 * MINUTE,
  roundMs: 20 * MINUTE,
}
/** The account of all projects. */
const ACCOUNT = { account_id: 'a' } as Project
/** Buckets that get events. */
const USED_BUCKETS = [0, 1, 2]
/**
 * Longest time of a read. A real read ends long before superseded files are deleted, so slower ones are not
 * checked.
 */
const MAX_READ_MS = 170 * MINUTE
/** The same where files with erased events are deleted earlier. */
const MAX_READ_WITH_ERASURES_MS = 55 * MINUTE

/**
 * A restoration goes back a day at most (docs/aws.md): later, what an erasure has hidden may be forgotten.
 */
const OLDEST_STATE_MS = 24 * 60 * MINUTE

export type SimulationOptions = { turns?: number; powerCuts?: boolean; restorations?: boolean }

/**
 * Runs one random schedule of the whole lake. Events arrive, some with an event_id, some of these again, and
 * some records twice because the answer to their append got lost. Batches are delivered, cut at any record,
 * again, or while another consumer is wrongly believed dead. Processes crash or stall at any await, and
 * shards split. The objects of a bucket fail for some time, and the other buckets go on. Epochs are closed
 * and compacted by workers, whose jobs may come late or twice. Readers read at any time. After every turn,
 * the result of a read is compared with the accepted events. Throws an Error that names the seed.
 *
 * `powerCuts` simulates one machine instead of AWS: all processes die, the state table goes back to an
 * earlier time while stream and lake stay, and the next start makes them agree (restore/reconcile-lake.ts).
 * Erasures from before and after that time stay in force.
 *
 * `restorations` simulates `npm run restore` on AWS (lib/restore/restore-service.ts): what writes is stopped,
 * deleted files come back, a table that was lost gets the items of a moment, and the function `restore` makes
 * both agree. Jobs of before stay in the queue.
 */
export async function simulateSchedule(
  seed: number,
  options: SimulationOptions = {},
): Promise<SimulationReport> {
  const { turns = 1000, powerCuts = false, restorations = false } = options
  /** Whether the state may be restored to an earlier time. */
  const goesBack = powerCuts || restorations
  const processes = createSimulatedProcesses(seed)
  const { random, chance, pick } = processes
  let now = START
  const clock = { ...createFakeClock(), now: () => now }
  const stream = createSimulatedStream()
  const lake = createSimulatedLake(20)
  const deletions = keepDeletions(lake, clock)
  const state = createMemoryLakeState(lake, clock)
  // The other buckets never wait, because each of their steps would take turns from the schedule.
  for (let bucket = USED_BUCKETS.length; bucket < BUCKETS; bucket++) {
    state.putInline({ ...emptyManifest(bucket), version: 1, compacted: Number.POSITIVE_INFINITY })
  }
  /** The bucket whose objects cannot be read, written, listed or deleted, and until when. */
  let failing = { bucket: -1, until: 0 }
  const failingLake = failBuckets(
    lake,
    bucket => bucket === failing.bucket && now < failing.until,
    () => {
      report.bucketFailures++
    },
  )
  const pointers: ManifestPointers = {
    ...state.pointers,
    async saveEmptyEpochs(emptyEpochs) {
      const isSaved = await state.pointers.saveEmptyEpochs(emptyEpochs)
      if (isSaved) report.skips++
      return isSaved
    },
  }
  const queue = createSimulatedQueue()
  const counters = createSimulatedUsage()
  const log: Log = code => {
    if (code === 'SEGMENTS_MERGED' && !isRecovering) report.merges++
    if (code === 'SEGMENT_REWRITTEN') report.rewrites++
    if (code === 'SHARD_RETIRED') report.retiredShards++
  }
  const report: SimulationReport = {
    seed,
    turns: 0,
    accepted: 0,
    crashes: 0,
    reads: 0,
    retries: 0,
    lostAnswers: 0,
    replacements: 0,
    exchanges: 0,
    epochsClosed: 0,
    merges: 0,
    skips: 0,
    failures: 0,
    bucketFailures: 0,
    reshards: 0,
    retiredShards: 0,
    powerCuts: 0,
    restorations: 0,
    lostTables: 0,
    undeleted: 0,
    oldStates: 0,
    erasures: 0,
    rewrites: 0,
    hotSlices: 0,
    standstills: 0,
    oldItems: 0,
    restored: 0,
  }
  /** Number of delivered entries by shard. */
  const delivered = new Map<string, number>()
  const invocations = new Map<string, SimulatedProcess>()
  const backups: { at: number; state: ReturnType<typeof state.save>; folded: typeof counters.folded }[] = []
  /** Records with an event_id that may come again. */
  const sentWithId: Extract<StreamRecord, { kind: 'events' }>[] = []
  /** Records that were appended, and whose producers do not know it. */
  const unanswered: { shard: string; record: StreamRecord }[] = []
  let isRecovering = false
  const erasures = createSimulatedErasures(state, lake, clock)
  const accepted = new Map<string, AcceptedEvent>()
  /** Ids of events that came again with their event_id. */
  const retriedIds = new Set<string>()
  /** Those of them that came again with a credential. */
  const provenIds = new Set<string>()

  const readOldestUnread = createOldestUnread({ state, stream })
  // An unreadable record: nobody knows how old it is. What a process has found stays known in the next one.
  const oldestUnread = async () => (await readOldestUnread()) ?? 0
  const oldRecords = createOldRecords({ state, lake, oldestUnread })

  /**
   * The lake's code in one process. The process can be stopped or killed before and after every call of a
   * port.
   */
  function services(process: SimulatedProcess) {
    const ports = {
      state: {
        ...processes.interruptible(process, state),
        ...createManifestStore(
          createManifestItems(processes.interruptible(process, pointers), {
            lake: processes.interruptible(process, failingLake),
            clock,
          }),
        ),
      },
      stream: processes.interruptible(process, stream),
      lake: processes.interruptible(process, failingLake),
      usage: processes.interruptible(process, counters.usage),
      jobs: processes.interruptible(process, { ...queue, send }),
    }
    const projects = { byId: async () => ACCOUNT, noteEventIds: async () => {} }
    const consumer = createLakeConsumer({
      ...{ ...ports, projects, clock, log, encode: encodeSimulated },
    })
    const compactor = createSimulatedCompactor(ports.lake, failsNow)
    const worker = createLakeWorker({
      ...ports,
      compactor: {
        ...compactor,
        async rewriteSegment(job) {
          const rewritten = await compactor.rewriteSegment(job)
          if ((rewritten?.replaced.length ?? 0) > 0 && !isRecovering) report.exchanges++
          return rewritten
        },
      },
      ...{ projects, tombstones: noMending },
      // In every third schedule a pass of a sweep takes many jobs.
      sweeps: { ...SETTINGS, slicePages: seed % 3 === 0 ? 2 : 100 },
      // Every second schedule rewrites the hot files of one epoch in a job.
      ...(seed % 2 === 0 && { pace: { sliceMs: 0, files: 1 } }),
      clock,
      log,
    })
    const maintenance = createMaintenance({ ...ports, ...noReceipts, oldRecords, clock, log }, SETTINGS)
    return { ...ports, consumer, compactor, worker, maintenance }
  }

  /**
   * Every second schedule loses the jobs of sweeps until it recovers: there are so many of them that merges
   * would become rare.
   */
  async function send(job: LakeJob): Promise<void> {
    if (job.kind !== 'sweep' || seed % 2 === 0 || isRecovering) await queue.send(job)
  }

  function failsNow(): boolean {
    if (isRecovering || !chance(0.03)) return false
    report.failures++
    return true
  }

  function advanceClock(maxMs: number): void {
    now += Math.floor(random() * maxMs)
  }

  function accept(): void {
    const openShards = [...stream.byName].filter(([, shard]) => shard.open).map(([name]) => name)
    const shard = pick(openShards)
    const retried = sentWithId.filter(({ received_at }) => now - received_at < 12 * 60 * MINUTE)
    if (retried.length > 0 && chance(0.2)) {
      // The sender tries again: another record with the same event_ids.
      const { credentialed, ...record } = pick(retried)
      const comesWithCredential = chance(0.4)
      const head = {
        received_at: now,
        seq: nextSeq(2),
        ...(comesWithCredential && { credentialed: true as const }),
      }
      stream.accept(shard, { ...record, ...head })
      for (const { event } of record.events) {
        retriedIds.add(event)
        if (comesWithCredential) provenIds.add(event)
      }
      if (comesWithCredential && !credentialed) report.replacements++
      report.retries++
      return
    }
    const bucket = pick(USED_BUCKETS)
    const hasEventId = chance(0.3)
    const user_id = pick([null, 'u1', 'u2', 'u3'])
    const events = Array.from({ length: 1 + Math.floor(random() * 2) }, () => {
      const event = `e${report.accepted++}`
      const timestamp = now - Math.floor(random() * 3) * 86_400_000
      const event_id = hasEventId ? `id-${event}` : null
      accepted.set(event, {
        ...{ id: event, project: `p${bucket}`, bucket, user: user_id },
        arrival: Math.floor(now / 1_000),
      })
      return { event, properties: null, user_id, session_id: null, timestamp, event_id }
    })
    const record = {
      kind: 'events' as const,
      project_id: `p${bucket}`,
      account_id: 'a',
      bucket,
      received_at: now,
      seq: nextSeq(events.length),
      country: null,
      events,
      ...(hasEventId && chance(0.2) && { credentialed: true as const }),
    }
    stream.accept(shard, record)
    if (hasEventId) sentWithId.push(record)
    if (chance(0.2)) unanswered.push({ shard, record })
    if (chance(0.03)) stream.accept(shard, null)
  }

  /** Appends records again whose answers got lost: to the same shard, within minutes. */
  function appendAgain(): void {
    for (const { shard, record } of unanswered.splice(0)) {
      if (now - record.received_at > 10 * MINUTE || !stream.byName.get(shard)?.open) continue
      stream.accept(shard, record)
      report.lostAnswers++
    }
  }

  let seq = 0
  function nextSeq(events: number): number {
    seq += events
    return seq - events
  }

  /** Invokes the consumer as the event source mapping of a shard does, with a batch of random length. */
  function deliver(name: string, shard: SimulatedShard): void {
    const from = delivered.get(name) ?? 0
    if (shard.gone || invocations.get(name)?.running || from >= shard.entries.length) return
    const until = from + 1 + Math.floor(random() * Math.min(6, shard.entries.length - from))
    const process = processes.start(async self => {
      await services(self).consumer.consumeBatch(name, shard.entries.slice(from, until))
      // After a partial response or a lost checkpoint, a part of the batch is delivered again.
      delivered.set(name, chance(0.2) ? from + Math.floor(random() * (until - from)) : until)
    })
    invocations.set(name, process)
  }

  function runJob(): void {
    run(queue.jobs.filter(({ kind }) => kind !== 'sweep'))
  }

  function runSweep(): void {
    run(queue.jobs.filter(({ kind }) => kind === 'sweep'))
  }

  /** As many as there are. Some of them run twice, and others stay. */
  function runJobs(): void {
    for (let jobs = queue.jobs.length; jobs > 0; jobs--) {
      runJob()
      runSweep()
    }
  }

  function run(jobs: readonly LakeJob[]): void {
    const job = pick(jobs)
    if (job === undefined) return
    if (chance(0.7)) queue.jobs.splice(queue.jobs.indexOf(job), 1)
    if (job.kind === 'rewrite-hot' && (job.from ?? 0) > 0) report.hotSlices++
    processes.start(self => services(self).worker.run(job))
  }

  function failBucket(): void {
    failing = { bucket: pick(USED_BUCKETS), until: now + Math.floor(random() * 120 * MINUTE) }
  }

  /** The item of a bucket gets the form of the first edition, as if no change had come since. */
  function ageItem(): void {
    state.putInline(state.peekManifest(pick(USED_BUCKETS)))
    report.oldItems++
  }

  /** The records of a closed shard expire, long after the lake has them. */
  function expireShard(): void {
    const expired = [...stream.byName].filter(([name, { entries, open, gone }]) => {
      const { highWater = null, claim = null } = state.peek(name) ?? {}
      return !open && !gone && claim === null && highWater === (entries.at(-1)?.sequence ?? null)
    })
    if (expired.length > 0) pick(expired)[1].gone = true
  }

  function reshard(): void {
    const [name, shard] = pick([...stream.byName].filter(([, candidate]) => candidate.open))
    shard.open = false
    for (const child of ['l', 'r']) stream.byName.set(`${name}${child}`, { entries: [], open: true })
    report.reshards++
  }

  /** Erases the events of a user, or sometimes those of a whole project. */
  async function erase(): Promise<void> {
    const bucket = pick(USED_BUCKETS)
    const user = chance(0.2) ? null : pick(['u1', 'u2', 'u3'])
    const inLake = new Set(idsInLake(stream, state))
    await erasures.erase({ project: `p${bucket}`, bucket, user }, accepted.values(), inLake, now)
    report.erasures++
    // What arrives in the same millisecond would be erased too.
    now += 1
  }

  /**
   * The consumers stand still for three days, and maintenance and workers go on. Erasures are done meanwhile,
   * and then the consumers bring events that arrived before them.
   */
  async function standStill(): Promise<void> {
    await deliverAll()
    for (let i = 0; i < 3; i++) accept()
    await erase()
    for (let hours = 0; hours < 72; hours += 6) {
      now += 6 * 60 * MINUTE
      processes.start(self => services(self).maintenance.tick())
      await settle()
      runJobs()
      await settle()
    }
    // What comes later would make the lake forget which of these records it has.
    await deliverAll()
    report.standstills++
  }

  async function deliverAll(): Promise<void> {
    for (let round = 0; round < 50 && !isAllRead(); round++) {
      invocations.clear()
      for (const [name, shard] of stream.byName) deliver(name, shard)
      await settle()
    }
  }

  function isAllRead(): boolean {
    const ids = [...stream.byName].flatMap(([, { entries }]) => entries.flatMap(entry => entry.ids))
    return idsInLake(stream, state).length === ids.length
  }

  /** Starts a reader that opens the lake and then reads file after file. */
  function read(): void {
    processes.start(async self => {
      const ports = services(self)
      const startedAt = now
      const idsAtStart = idsInLake(stream, state)
      const winners = winnersInLake(stream, state)
      const hiddenAtStart = erasures.hidden(retriedIds, provenIds)
      const isTooLate = () =>
        now - startedAt > (erasures.count() > 0 ? MAX_READ_WITH_ERASURES_MS : MAX_READ_MS)
      const snapshot = await openLake(ports)
      const bytesOf = async (key: string) => {
        const bytes = await ports.lake.get(key)
        if (bytes !== null || isTooLate()) return bytes
        throw new Error(`Seed ${seed}, turn ${report.turns}: ${key} is gone while a read needs it.`)
      }
      const rows: VisibleRows = { stored: [], hot: [] }
      for (const bucket of processes.shuffled(USED_BUCKETS)) {
        const read = await readBucket(
          bucket,
          await snapshot.ofBucket(bucket),
          async key => simulatedRows((await bytesOf(key)) ?? new Uint8Array()),
          async key => {
            const bytes = await bytesOf(key)
            return bytes === null ? [] : simulatedTombstones(bytes)
          },
        )
        rows.stored.push(...read.stored)
        rows.hot.push(...read.hot)
      }
      if (isTooLate()) return
      const erasedSince = erasures.optional()
      const expectedIds = idsAtStart.filter(id => !erasedSince.has(id))
      const hidden = erasures.hidden(retriedIds, provenIds)
      const hiddenIds = new Set([...hiddenAtStart].filter(id => hidden.has(id)))
      check(rows, { expectedIds, hiddenIds, winners }, 'a read over several turns')
      report.reads++
    })
  }

  function check(rows: VisibleRows, ids: Parameters<typeof checkRows>[1], read: string): void {
    try {
      checkRows(rows, ids, read)
    } catch (error) {
      throw new Error(`Seed ${seed}, turn ${report.turns}: ${(error as Error).message}.`)
    }
  }

  let lastCheckedChanges = ''
  /**
   * Checks a read that takes no time. Does nothing when neither lake nor state has changed since the last
   * check.
   */
  async function checkNow(): Promise<void> {
    const changes = `${lake.changes} ${state.changes()}`
    if (changes === lastCheckedChanges) return
    lastCheckedChanges = changes
    check(await readNow(), idsOfRead(idsInLake(stream, state)), 'an instant read')
  }

  /** What a read returns if these ids are in the lake. */
  function idsOfRead(ids: readonly string[]) {
    const optional = erasures.optional()
    return {
      expectedIds: ids.filter(id => !optional.has(id)),
      hiddenIds: erasures.hidden(retriedIds, provenIds),
      winners: winnersInLake(stream, state),
    }
  }

  async function readNow(): Promise<VisibleRows> {
    const { epoch } = state.peekLake()
    const rows: VisibleRows = { stored: [], hot: [] }
    for (const bucket of USED_BUCKETS) {
      const { compacted, segments, tombstones } = state.peekManifest(bucket)
      const epochs = Array.from({ length: Math.max(0, epoch - compacted + 1) }, (_, i) => compacted + i)
      const hot = epochs.flatMap(number => lake.keys(hotPrefix(number)))
      const read = await readBucket(bucket, { segments, hot, tombstones }, rowsNow, key =>
        simulatedTombstones(lake.objects.get(key)),
      )
      rows.stored.push(...read.stored)
      rows.hot.push(...read.hot)
    }
    return rows
  }

  /** No object of the lake has an erased event. Files that no manifest names are deleted first. */
  async function checkFiles(): Promise<void> {
    if (erasures.count() === 0) return
    const tombstones = USED_BUCKETS.flatMap(bucket =>
      state.peekManifest(bucket).tombstones.map(batch => ({
        batch,
        rows: simulatedTombstones(lake.objects.get(tombstoneKey(bucket, batch))),
      })),
    )
    for (const key of lake.keys('hot/')) {
      const epoch = parseHotKey(key)?.claim.epoch ?? 0
      const done = tombstones
        .filter(({ batch: { lastEpoch } }) => lastEpoch !== null && epoch <= lastEpoch)
        .flatMap(({ rows }) => rows)
      const erased = rowsNow(key).find(
        row => hasName(row) && done.some(tombstone => isErased(row, tombstone)),
      )
      if (erased !== undefined) throw new Error(`Seed ${seed}: ${key} has ${erased.id}, which is erased.`)
    }
    // Copies that came later are in hot files, which a sweep finds superseded and a later one deletes.
    for (let sweep = 0; sweep < 3; sweep++) {
      now += SETTINGS.keepSupersededMs + MINUTE
      await sweepAll()
    }
    const hiddenIds = erasures.hidden(retriedIds, provenIds)
    for (const [key, bytes] of lake.objects) {
      // The real files have only hashes of event_ids.
      if (key.startsWith('segments/event-ids/') || key.startsWith('tombstones/')) continue
      const erased = simulatedRows(bytes).find(row => hasName(row) && hiddenIds.has(row.id))
      if (erased !== undefined) throw new Error(`Seed ${seed}: ${key} has ${erased.id}, which is erased.`)
    }
  }

  /** Runs maintenance and its jobs until each sweep has had a whole pass. */
  async function sweepAll(): Promise<void> {
    const since = now
    do {
      now += SETTINGS.resendMs // Jobs of killed processes are sent again.
      processes.start(self => services(self).maintenance.tick())
      await settle()
      for (const job of queue.jobs.splice(0)) processes.start(self => services(self).worker.run(job))
      await settle()
      if (processes.failure !== undefined) throw processes.failure
    } while ((await state.sweeps()).some(({ sweptAt }) => sweptAt < since))
  }

  function rowsNow(key: string): readonly SimulatedRow[] {
    const bytes = lake.objects.get(key)
    if (bytes === undefined) throw new Error(`Seed ${seed}, turn ${report.turns}: ${key} is gone.`)
    return simulatedRows(bytes)
  }

  /** Runs turns until no process waits. */
  async function settle(): Promise<void> {
    while (processes.areWaiting()) {
      await processes.turn()
      await checkNow()
    }
  }

  async function powerCut(): Promise<void> {
    // Of an old state the files that it names are deleted, and other segments have the events.
    const usable = backups.filter(({ at }) => now - at < OLDEST_STATE_MS)
    if (usable.length === 0) return
    const backup = pick(usable)
    if (now - backup.at >= SETTINGS.keepSupersededMs / 2) report.oldStates++
    processes.killAll()
    failing.until = 0
    advanceClock(180 * MINUTE) // The machine is off.
    queue.jobs.length = 0
    invocations.clear()
    state.restore(backup.state)
    counters.folded.clear()
    for (const [key, events] of backup.folded) counters.folded.set(key, events)
    const restart = processes.start(self => reconcileLake(restoreServices(self)))
    erasures.restart()
    while (restart.running) await processes.turn()
    if (restart.error !== undefined) throw restart.error
    backups.length = 0
    report.powerCuts++
  }

  /** What makes state and lake agree needs. */
  function restoreServices(self: SimulatedProcess) {
    const ports = services(self)
    // The other buckets have an endless watermark, to which no epoch can be opened.
    const manifests = async () =>
      (await ports.state.manifests()).filter(({ bucket }) => USED_BUCKETS.includes(bucket))
    const adoptManifests = async () => {
      const adopted = await ports.state.adoptManifests()
      report.restored += adopted.buckets
      return adopted
    }
    return {
      ...ports,
      state: { ...ports.state, manifests, adoptManifests },
      lake: withRollups(ports.lake),
      usage: { ...ports.usage, openCounts: async () => [] },
      ...{ tombstones: noMending, repeatErasures: nothingErased, clock, log },
    }
  }

  /** Every third restoration is killed, and called again when the operator may. */
  async function restoreOnAws(): Promise<void> {
    const usable = backups.filter(({ at }) => now - at < OLDEST_STATE_MS)
    if (usable.length === 0) return
    const backup = pick(usable)
    // Half of the restorations let running work finish. The others stop it, as a timeout of a function does.
    if (chance(0.5)) await settle()
    processes.killAll()
    invocations.clear()
    failing.until = 0
    now += 20 * MINUTE
    report.undeleted += deletions.undo(backup.at)
    if (chance(0.5)) {
      state.restore(backup.state)
      counters.folded.clear()
      for (const [key, events] of backup.folded) counters.folded.set(key, events)
      backups.length = 0
      report.lostTables++
    }
    erasures.restart()
    const call = () => processes.start(self => restoreHandler(restoreServices(self))())
    let restoring = call()
    if (chance(0.3)) {
      for (let left = Math.floor(random() * 200); left > 0 && restoring.running; left--)
        await processes.turn()
      if (restoring.running) {
        processes.killAll()
        now += 16 * MINUTE
        restoring = call()
      }
    }
    while (restoring.running) await processes.turn()
    if (restoring.error !== undefined) throw restoring.error
    report.restorations++
  }

  const actions: [weight: number, act: () => void | Promise<void>][] = [
    [6, accept],
    [1, appendAgain],
    [5, () => deliver(...pick([...stream.byName]))],
    [5, () => void processes.start(self => services(self).maintenance.tick())],
    [4, runJob],
    [1, runSweep],
    [2, read],
    [2, () => advanceClock(MINUTE)],
    [2, () => advanceClock(90 * MINUTE)],
    [1, () => void (processes.killOne() && report.crashes++)],
    // The consumer is believed dead, so another one starts, but it still runs.
    [1, () => void (invocations.size > 0 && invocations.delete(pick([...invocations.keys()])))],
    [1, () => processes.stallOne()],
    // Reads and workers must do without the item of the empty epochs, as an older version does.
    [0.3, () => state.forgetSkippedEpochs()],
    [0.3, ageItem],
    [0.4, erase],
    [0.3, failBucket],
    ...(goesBack ? [] : ([[0.1, standStill]] as [number, () => Promise<void>][])),
    // Without quiet times, nearly every schedule ended before its first merge.
    [2, settle],
    ...(powerCuts
      ? []
      : ([[1.5, () => void (stream.byName.size < 12 && reshard())]] as [number, () => void][])),
    // A state goes back a day at most, and a stream keeps its records for longer.
    ...(goesBack ? [] : ([[1.5, expireShard]] as [number, () => void][])),
    [150, () => processes.turn()],
  ]

  for (; report.turns < turns; report.turns++) {
    await processes.weighted(actions)()
    await checkNow()
    if (processes.failure !== undefined) throw processes.failure
    if (goesBack) {
      if (chance(0.04)) backups.push({ at: now, state: state.save(), folded: new Map(counters.folded) })
      if (backups.length > 0 && chance(0.004)) await (powerCuts ? powerCut() : restoreOnAws())
    }
  }

  // Before the recovery, which closes and compacts epochs after every schedule. Epochs count from 1, and the
  // newest one is open.
  report.epochsClosed = state.peekLake().epoch - 1

  // Recovery: no process crashes or stalls any more, so every event must arrive and be counted.
  processes.wakeAll()
  isRecovering = true
  const isCompacted = (bucket: number): boolean => {
    const manifest = state.peekManifest(bucket)
    return manifest.compacted === state.peekLake().epoch && nextMerge(manifest, SETTINGS).length === 0
  }
  const isDone = (): boolean =>
    isAllRead() &&
    USED_BUCKETS.every(
      bucket =>
        isCompacted(bucket) && state.peekManifest(bucket).tombstones.every(({ doneAt }) => doneAt !== null),
    )
  // One bucket still fails, and the others must not wait for it.
  failing = { bucket: pick(USED_BUCKETS), until: Number.POSITIVE_INFINITY }
  for (let round = 0; round < 400; round++) {
    for (const [name, shard] of stream.byName) deliver(name, shard)
    processes.start(self => services(self).maintenance.tick())
    runJobs()
    await settle()
    if (processes.failure !== undefined) throw processes.failure
    now += 10 * MINUTE // Leases and jobs of killed processes expire.
    const others = USED_BUCKETS.filter(bucket => bucket !== failing.bucket)
    if (round > 12 && isAllRead() && others.every(isCompacted)) failing.until = 0
    if (round === 200 && failing.until > 0)
      throw new Error(`Seed ${seed}: the other buckets wait for bucket ${failing.bucket}.`)
    if (round > 12 && isDone()) break
  }
  const rows = await readNow()
  const acceptedIds = Array.from({ length: report.accepted }, (_, i) => `e${i}`)
  check(rows, idsOfRead(acceptedIds), 'the last read')
  if (rows.hot.length > 0) throw new Error(`Seed ${seed}: ${rows.hot.length} events are not in segments.`)
  if (!isDone()) throw new Error(`Seed ${seed}: the lake is not at rest.`)
  await checkFiles()
  const countedEvents = [...counters.folded.values()].reduce((sum, events) => sum + events, 0)
  // A copy with a credential of an erased event is one more event that was received.
  const winners = new Set(winnersInLake(stream, state))
  const erasedBefore = [...erasures.optional()].filter(id => winners.has(id)).length
  // Counters that are older than the hot files of an epoch miss its events (docs/one-machine.md). Those of a
  // table that was lost are made again from hot files, which an erasure may have changed since.
  const erasedEvents = report.lostTables > 0 ? erasures.optional().size : 0
  const isCounted = countedEvents >= report.accepted - erasedEvents || report.oldStates > 0
  if (!isCounted || countedEvents > report.accepted + erasedBefore)
    throw new Error(`Seed ${seed}: ${countedEvents} events were counted and ${report.accepted} accepted.`)
  return report
}
