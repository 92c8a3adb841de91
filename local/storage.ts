import { rm, statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openErasures } from '#core/erasure/open-erasures'
import { createErasedUsers } from '#core/identity/erased-users'
import { createIdentityStore } from '#core/identity/identity-store'
import { createErasureRepeat } from '#core/identity/repeat-erasures'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { takeBackSetAside } from '#core/lake/consume/set-aside'
import { createTombstoneMending } from '#core/lake/erase/mend-tombstones'
import { EditionError } from '#core/lake/model/edition'
import { parseHotKey } from '#core/lake/model/keys'
import { ownObjects } from '#core/lake/model/own-objects'
import type { LakeStateStore, ShardState } from '#core/lake/model/state'
import { closeEpoch } from '#core/lake/restore/close-epoch'
import { reconcileLake } from '#core/lake/restore/reconcile-lake'
import type { Clock, EventStream, Lake, Log } from '#core/ports'
import { createLakeStores, createStores } from '#core/stores'
import { gatherReads } from '#core/usage/gathered-reads'
import { createUsageStore } from '#core/usage/store'
import { createCompactor } from '#duckdb/compactor'
import { tables } from '#schemas/columns'
import {
  browserTempDir,
  compactionTempDir,
  exportsDir,
  exportTempDir,
  lakeDir,
  queryTempDir,
  statePath,
} from './data-folder.ts'
import { createFolderLake, deleteUnfinished } from './lake/folder.ts'
import { FolderError } from './lock.ts'
import { assertNoData } from './lost-state.ts'
import { keepBeforeConversion } from './state/keep-before-conversion.ts'
import { openState } from './state/state.ts'
import {
  createDiskReserve,
  type DiskReserve,
  lakeWithDiskReserve,
  withDiskReserve,
} from './stream/disk-reserve.ts'
import { createHotBytes } from './stream/hot-bytes.ts'
import { openLogs } from './stream/logs.ts'
import { continueOrder, isFarAhead, newestTimes } from './stream/newest-arrival.ts'

/** Pause between two measurements of the disk, ms. */
const MEASURE_MS = 1_000

/** How long the counts and audit entries of reports wait for others, ms. A killed process loses them. */
export const GATHER_MS = 1_000

/**
 * How long ingestion uses a project without another look-up, ms. All changes of projects happen in this
 * process, which forgets what it changes. So the only limit is memory, and a thousand active projects cost no
 * steady reads.
 */
const TOKEN_MS = 60_000

export type StorageSettings = {
  dataDir: string
  /** Memory of an upgrade of the lake, MB. */
  compactionMemoryMb: number
  clock: Clock
  log: Log
}

/**
 * Opens the state, the log and the lake of a data folder, and updates the state to what the log and the lake
 * hold. Call it only in the process that holds the folder's lock (local/lock.ts), before anything else uses
 * the folder.
 */
export async function openStorage({ dataDir, compactionMemoryMb, clock, log }: StorageSettings) {
  const folder = lakeDir(dataDir)
  const lake = ownObjects(createFolderLake(folder), log)
  const state = await openState(statePath(dataDir))
  if (state.isRepaired) log('STATE_REPAIRED')
  const reads = gatherReads(createUsageStore(state), { waitMs: GATHER_MS, clock, log })
  const stores = {
    ...createStores(state, clock, { usage: reads, tokenMs: TOKEN_MS }),
    ...createLakeStores({ client: state.client, table: state.table, lake }, clock),
  }
  try {
    if (state.isEmpty) assertNoData(dataDir)
    await keepBeforeConversion(state, dataDir, log)
    // Before the log exists, the state has an item: a start that is killed now is not taken for a lost state.
    await stores.lakeState.lake()
    await state.takeOver()
  } catch (error) {
    await state.close()
    throw error instanceof EditionError
      ? new FolderError(`The data folder ${dataDir} cannot be used. ${error.message}`, error)
      : error
  }
  // A killed process leaves temporary files. Nothing uses them again.
  const removals = [compactionTempDir, queryTempDir, browserTempDir, exportTempDir].map(dirOf =>
    rm(dirOf(dataDir), { recursive: true, force: true }),
  )
  await Promise.all([deleteUnfinished(folder), deleteUnfinished(exportsDir(dataDir)), ...removals])
  const stream = await openLogs(dataDir, {
    log,
    clock,
    minSequence: shard => highestSequence(stores.lakeState, lake, shard),
  })
  const { lakeState, usage, projects } = stores
  const consumer = createLakeConsumer({
    state: lakeState,
    stream,
    lake,
    usage,
    projects,
    clock,
    log,
  })
  const compactor = createCompactor({
    lake,
    tempDir: compactionTempDir(dataDir),
    log,
    memoryMb: compactionMemoryMb,
  })
  const tombstones = createTombstoneMending({ lake, ...createErasedUsers(state), clock, log })
  const identityServices = { client: state.client, table: state.table, lake, projects, clock }
  const repeatErasures = createErasureRepeat({ ...identityServices, log })
  await reconcileLake({
    ...{ state: lakeState, stream, lake, consumer, compactor, usage, tombstones, repeatErasures, clock, log },
  })
  const identity = createIdentityStore(identityServices)
  // A full disk must not prevent the start.
  await takeBackSetAside({ stream, lake, log }).catch(error =>
    log('JOB_FAILED', { job: 'replay', error: String(error) }),
  )
  const { logged, stored, untils } = await newestTimes(stream, lakeState)
  const order = continueOrder([...logged, ...stored, ...untils], clock.now())
  if (logged.some(arrival => isFarAhead(arrival, clock.now())))
    await closeEpoch({ state: lakeState, stream, lake, consumer, clock }).catch(error =>
      log('JOB_FAILED', { job: 'close-epoch', error: String(error) }),
    )
  const newestAtStart = Math.max(0, ...logged, ...stored)
  /** The bytes of the records that are in the log and not in the lake. */
  async function waitingBytes(): Promise<number> {
    let bytes = 0
    for (const { shard, highWater } of await readShards(lakeState, stream))
      bytes += stream.bytesAfter(shard, highWater)
    return bytes
  }
  const reserve = createDiskReserve({
    async measureDisk() {
      const { bavail, blocks, bsize } = await statfs(dataDir)
      return { free: bavail * bsize, size: blocks * bsize }
    },
    waitingBytes,
    hotBytes: createHotBytes({ state: lakeState, lake, clock }),
    log,
  })
  await reserve.measure()
  const measuring = repeatMeasure(reserve)
  return {
    ...stores,
    order,
    erasures: openErasures({ ...state, lakeState, lake, clock, order, newestAtStart }),
    identity,
    client: state.client,
    table: state.table,
    stream: withDiskReserve(stream, reserve),
    waitingBytes,
    disk: reserve.reading,
    /** Where replays go: anybody may send them, so they stop well before events do. */
    replayObjects: lakeWithDiskReserve(createFolderLake(folder), reserve),
    /** Where exports go: like replays, they stop before events do. */
    exportObjects: lakeWithDiskReserve(createFolderLake(exportsDir(dataDir)), reserve),
    /** Returns whether the stream has never had a record, nor a stack's stream whose data came here. */
    async isNew(): Promise<boolean> {
      const shards = await readShards(lakeState, stream)
      const isUnused = [...shards, ...(await lakeState.shards())].every(({ highWater }) => highWater === null)
      return isUnused && !(await hasWaiting(stream, shards))
    },
    /** Returns whether the lake holds every record of the stream. */
    async isDrained(): Promise<boolean> {
      const shards = await readShards(lakeState, stream)
      return shards.every(({ claim }) => claim === null) && !(await hasWaiting(stream, shards))
    },
    async close(): Promise<void> {
      await measuring.stop()
      await reads.flush()
      await stream.close()
      await state.close()
    },
  }
}

export type Storage = Awaited<ReturnType<typeof openStorage>>

/** Measures the disk at intervals, until `stop`. */
function repeatMeasure(reserve: DiskReserve) {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    while (await sleep(MEASURE_MS, true, { signal }).catch(() => false)) await reserve.measure()
  }
  const running = run()
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}

function readShards(state: LakeStateStore, stream: Pick<EventStream, 'shards'>): Promise<ShardState[]> {
  return stream.shards().then(shards => Promise.all(shards.map(state.shard)))
}

/** Whether the stream has records that the lake does not have. */
async function hasWaiting(
  stream: Pick<EventStream, 'read'>,
  shards: readonly ShardState[],
): Promise<boolean> {
  for (const { shard, highWater } of shards)
    if ((await stream.read(shard, highWater, 1)).length > 0) return true
  return false
}

/**
 * The highest sequence of a shard in the state or the lake. A new log must start above it when the old log is
 * lost.
 */
async function highestSequence(state: LakeStateStore, lake: Lake, shard: string): Promise<string | null> {
  const { highWater, claim } = await state.shard(shard)
  const files = (await lake.list(`${tables.events_hot.prefix}/`))
    .map(({ key }) => parseHotKey(key))
    .filter(file => file?.shard === shard)
  const sequences = [highWater, claim?.last, ...files.map(file => file?.claim.last)]
    .filter(sequence => sequence != null)
    .map(BigInt)
  return sequences.length === 0 ? null : String(sequences.toSorted((a, b) => Number(b - a))[0])
}
