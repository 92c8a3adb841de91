import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createLakeConsumer } from '#core/lake/consumer'
import { parseHotKey } from '#core/lake/keys'
import { reconcile } from '#core/lake/reconcile'
import type { LakeStateStore } from '#core/lake/state'
import type { Clock, Lake, Log } from '#core/ports'
import { createStores } from '#core/stores'
import { tables } from '#schemas/columns'
import { createFolderLake, deleteUnfinished, renameLegacyFolders } from './lake/folder.ts'
import { openState } from './state/state.ts'
import { LOCAL_SHARD } from './stream/reader.ts'
import { openStream } from './stream/stream.ts'

/** The lake below the data folder. */
export function lakeDir(dataDir: string): string {
  return join(dataDir, 'lake')
}

/** Where compaction works; what a dead process left there is of no use. */
export function mergingDir(dataDir: string): string {
  return join(dataDir, 'merging')
}

/** Where queries that need more than their memory spill; what a dead process left there is of no use. */
export function queryingDir(dataDir: string): string {
  return join(dataDir, 'querying')
}

/**
 * Opens state, log and lake of the folder, which this process has for itself (local/lock.ts), and brings the state up
 * to what the other two hold. Nothing writes to them meanwhile.
 */
export async function openStorage(dataDir: string, clock: Clock, log: Log) {
  const folder = lakeDir(dataDir)
  const ofDead = [mergingDir(dataDir), queryingDir(dataDir)].map(dir =>
    rm(dir, { recursive: true, force: true }),
  )
  await Promise.all([deleteUnfinished(folder), renameLegacyFolders(folder), ...ofDead])
  const lake = createFolderLake(folder)
  const state = await openState(join(dataDir, 'state'))
  if (state.repaired) log('STATE_REPAIRED')
  const stores = createStores(state, clock)
  const stream = await openStream(dataDir, { log, minSequence: await highestKnown(stores.lakeState, lake) })
  const { lakeState, usage, projects } = stores
  const consumer = createLakeConsumer({ state: lakeState, stream, lake, usage, projects, clock, log })
  await reconcile({ state: lakeState, stream, lake, consumer, clock, log })
  return {
    ...stores,
    client: state.client,
    table: state.table,
    stateEndpoint: state.endpoint,
    stream,
    /** Whether nothing has ever been appended, here or before what the log still holds. */
    async isNew(): Promise<boolean> {
      const { highWater } = await lakeState.shard(LOCAL_SHARD)
      return highWater === null && (await stream.read(LOCAL_SHARD, null, 1)).length === 0
    },
    /** Whether all that was appended is in the lake. */
    async isDrained(): Promise<boolean> {
      const { highWater, claim } = await lakeState.shard(LOCAL_SHARD)
      return claim === null && (await stream.read(LOCAL_SHARD, highWater, 1)).length === 0
    },
    async close(): Promise<void> {
      await stream.close()
      await state.close()
    },
  }
}

export type Storage = Awaited<ReturnType<typeof openStorage>>

/** The highest sequence that state or lake remember: a log that was lost must not give it out again. */
async function highestKnown(state: LakeStateStore, lake: Lake): Promise<string | null> {
  const { highWater, claim } = await state.shard(LOCAL_SHARD)
  const files = (await lake.list(`${tables.events_hot.prefix}/`)).map(({ key }) => parseHotKey(key))
  const known = [highWater, claim?.last, ...files.map(file => file?.claim.last)]
    .filter(sequence => sequence != null)
    .map(BigInt)
  return known.length === 0 ? null : String(known.toSorted((a, b) => Number(b - a))[0])
}
