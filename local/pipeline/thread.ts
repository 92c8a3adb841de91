import { flushCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { openErasures } from '#core/erasure/open-erasures'
import { createErasedUsers } from '#core/identity/erased-users'
import { createIdentityFold } from '#core/identity/fold/fold'
import { isFoldDue } from '#core/identity/fold/fold-due'
import { createIdentityStore } from '#core/identity/identity-store'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { MAINTENANCE_DEFAULTS } from '#core/lake/compact/maintenance-settings'
import { createRepair } from '#core/lake/compact/repair'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { createTombstoneMending } from '#core/lake/erase/mend-tombstones'
import { createOldRecords } from '#core/lake/erase/old-records'
import { REWRITE_PACE, type RewritePace } from '#core/lake/erase/rewriter'
import { waitingEpochs } from '#core/lake/model/gauges'
import { ownObjects } from '#core/lake/model/own-objects'
import { createOldestUnread } from '#core/lake/read/freshness'
import { createLiveBuffer } from '#core/live/buffer'
import { createLiveCheckpoint } from '#core/live/checkpoint'
import { createLiveConsumer } from '#core/live/consumer'
import type { Log } from '#core/ports'
import { createLakeStores, createStores } from '#core/stores'
import { collectWhenIdle } from '#local/collect-garbage'
import { startBothCompactions } from '#local/compaction/start'
import { lakeDir, statePath } from '#local/data-folder'
import { createFolderLake } from '#local/lake/folder'
import { createRepairingLog, createRepairs, type RepairJob } from '#local/lake/repairs'
import { scrubState } from '#local/state/scrub-state'
import { connectState } from '#local/state/state'
import { openLogsReader } from '#local/stream/logs-reader'
import { systemClock as clock } from '#providers/system-clock'
import { createFeedSender } from './chunk-feed.ts'
import { createIdentityFeed } from './identity-feed.ts'
import { createJobQueue } from './job-queue.ts'
import { createLiveFeed } from './live-feed.ts'
import { createPipeline, PIPELINE_DEFAULTS } from './pipeline.ts'
import { createScrub } from './scrub.ts'
import type { PipelineCommand, PipelineMessage, PipelineStart } from './start.ts'

/**
 * The code of the pipeline thread: creates the pipeline with the adapters of one machine, and runs it until
 * it is told to stop.
 */
const port = parentPort
if (port === null) throw new Error('This file runs only as a worker thread. Call startPipeline.')
const { dataDir, compactionMemoryMb, epochMs, retentionMs, liveBufferMs, queryTimeoutMs } =
  workerData as PipelineStart

/** A claim in unpacked bytes. Its rows take up to 100 MB, and larger claims are not faster. */
const CLAIM_BYTES = 8_000_000

const SCRUB_PAUSE_MS = 60_000
/** From so many closed epochs on that wait for compaction, jobs get the normal priority. */
const LATE_EPOCHS = 4
/** Jobs run one after the other, and a compaction waits for the running one alone. */
const pace: RewritePace = { ...REWRITE_PACE, sliceMs: 15_000 }
/** A page of 1,000 files takes some 50 ms, so a slice of a sweep takes five seconds. */
const SLICE_PAGES = 100
/** So an erasure is done within minutes, and many erasures do not make many small segments. */
const ERASURE_EPOCH_MS = 60_000

const stopping = new AbortController()

const send = (message: PipelineMessage) => port.postMessage(message)
const log: Log = (code, fields = {}) => send({ kind: 'log', code, fields })
const stream = openLogsReader(dataDir)
const connection = connectState(statePath(dataDir))
const lake = ownObjects(createFolderLake(lakeDir(dataDir)), log)
const { usage, projects } = createStores(connection, clock)
const { lakeState: state, receipts } = createLakeStores({ ...connection, lake }, clock)
const { client, table } = connection
const identity = createIdentityStore({ client, table, lake, projects, clock })
const consumer = createLakeConsumer({
  ...{ state, stream, lake, usage, projects, clock, log },
  claimBytes: CLAIM_BYTES,
  onIdentities: () => identityFeed.wake(),
})
const cuttingOff = new AbortController()
const repairingLog = createRepairingLog(log, key => repairs.request(key))
const { low: compaction, normal: lateCompaction } = startBothCompactions(
  { dataDir, memoryMb: compactionMemoryMb },
  { log: repairingLog, signal: cuttingOff.signal },
)
const identityServices = {
  ...{ client, table, lake, lakeState: state, projects, clock },
  keepRetiredMs: 2 * queryTimeoutMs,
}
const openedErasures = openErasures({ client, table, lakeState: state, lake, clock })
const identityFold = createIdentityFold({
  ...identityServices,
  engine: compaction.links,
  onRemoved: openedErasures.noteIdentity,
  eraseEvents: openedErasures.eraseIds,
  log: repairingLog,
})
const identityFeed = createIdentityFeed({ ...identityFold, isDue: () => isFoldDue(identityServices) }, clock)
const tombstones = createTombstoneMending({ lake, ...createErasedUsers(connection), clock, log })
const sweeps = { keepErasedMs: 2 * queryTimeoutMs, slicePages: SLICE_PAGES }
const lakeServices = { state, lake, usage, projects, tombstones, clock, log, pace, sweeps }
const worker = createLakeWorker({ ...lakeServices, compactor: compaction.compactor })
const lateWorker = createLakeWorker({ ...lakeServices, compactor: lateCompaction.compactor })
const jobs = createJobQueue<LakeJob | RepairJob>({
  async run(job) {
    if (job.kind === 'repair') await repairs.run(job)
    else await ((await isLate()) ? lateWorker : worker).run(job)
  },
  log,
  isUrgent: ({ kind }) => kind === 'compact',
  signal: cuttingOff.signal,
})
const repair = createRepair({ consumer, worker, identity, state, tombstones, log })
const repairs = createRepairs(repair, jobs)
const liveBuffer = createLiveBuffer(connection, {
  clock,
  bufferMs: liveBufferMs,
})
const feed = createFeedSender(send, clock)
const liveCheckpoint = createLiveCheckpoint(connection)
const live = createLiveFeed({
  stream,
  consumer: createLiveConsumer({ buffer: liveBuffer, onCopied: feed.send }),
  checkpoint: liveCheckpoint,
})
const scrub = createScrub(
  {
    ...{ stream, state, lake, liveBuffer, liveCheckpoint, clock, log },
    scrubState: () => scrubState(statePath(dataDir), stopping.signal),
  },
  { pauseMs: Math.min(SCRUB_PAUSE_MS, epochMs), signal: stopping.signal },
)
const readOldestUnread = createOldestUnread({ state, stream })
const oldRecords = createOldRecords({
  state,
  lake,
  oldestUnread: async () => (await readOldestUnread()) ?? 0,
})
const pipeline = createPipeline(
  {
    state,
    stream,
    consumer,
    maintenance: createMaintenance(
      { state, lake, jobs, usage, ...receipts, scrub, oldRecords, clock, log },
      // This queue retries a job until it is done, so no job needs to be sent again.
      // Its jobs end with the process and run one after the other, and the lake is a second behind the log.
      {
        ...MAINTENANCE_DEFAULTS,
        epochMs,
        erasureEpochMs: Math.min(ERASURE_EPOCH_MS, epochMs),
        // Only one process uses the folder, and its ticks follow one another.
        leaseMs: 0,
        queueSince: clock.now(),
        resendMs: Number.POSITIVE_INFINITY,
        keepErasedMs: sweeps.keepErasedMs,
        settlingMs: Math.min(15_000, epochMs),
        jobMs: 0,
        roundMs: Math.min(MAINTENANCE_DEFAULTS.roundMs, 2 * epochMs),
      },
    ),
    prune: stream.prune,
    live,
    identity: identityFeed,
    deleteExpired: connection.deleteExpired,
    clock,
    log,
  },
  {
    ...PIPELINE_DEFAULTS,
    // Maintenance closes epochs, so an epoch cannot be shorter than this pause.
    maintenanceMs: Math.min(PIPELINE_DEFAULTS.maintenanceMs, epochMs),
    retentionMs,
  },
)

/**
 * Whether so many epochs wait that jobs get the normal priority. With the low one, a long flood would leave
 * them too little of the processor, and ever more epochs would wait. Each read opens the hot files of all of
 * them.
 */
async function isLate(): Promise<boolean> {
  return waitingEpochs(await state.lake(), await state.manifestHeads()) >= LATE_EPOCHS
}

port.on('message', (command: PipelineCommand) => {
  if (command.kind === 'stop') {
    stopping.abort()
    void jobs.stop()
    const cutOff = () => cuttingOff.abort(new Error('The service stops.'))
    setTimeout(cutOff, command.cutOffMs).unref()
  } else if (command.kind === 'repair') repairs.request(command.key)
  else feed.receive(command)
})
send({ kind: 'started' })
flushCompileCache()
collectWhenIdle({ log })
await pipeline.run(stopping.signal)
await jobs.stop()
await Promise.all([compaction.stop(), lateCompaction.stop()])
await connection.close()
stream.close()
port.close()
