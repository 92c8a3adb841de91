import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import type { Clock, Log } from '#core/ports'
import type { ObjectSource, SourceObject } from '#core/promote/ports'
import type { OpenedSource, PromotionSource } from '#core/promote/promote'
import { sourceEpochs } from '#core/promote/source-epochs'
import { filesBelow } from '#local/backup/copy-writer'
import { lakeDir, statePath } from '#local/data-folder'
import { readEmailKey } from '#local/email-key'
import { createFolderLake } from '#local/lake/folder'
import { FolderError, type FolderLock, lockFolder } from '#local/lock'
import { assertStateFile } from '#local/lost-state'
import { assertArrived } from '#local/promotion-note'
import { connectState } from '#local/state/state'
import { openStorage } from '#local/storage'
import { openProgress } from './progress.ts'

export type SourceSettings = {
  dataDir: string
  /** Names the table and the bucket of the target. */
  target: string
  /** Memory of an upgrade of the lake, MB. */
  compactionMemoryMb: number
  clock: Clock
  log: Log
}

/**
 * Opens a data folder for its promotion. Throws FolderError when it is none or not whole, or when it is
 * promoted to another target.
 */
export function openSource(settings: SourceSettings): PromotionSource & { close(): void } {
  const { dataDir, target } = settings
  // SQLite would create what is not there.
  if (!existsSync(statePath(dataDir)))
    throw new FolderError(
      `${dataDir} is no data folder of Footfall: it has no state.db. Name the folder of DATA_DIR with --data.`,
      null,
    )
  assertArrived(dataDir)
  assertStateFile(dataDir)
  const { id, copied, retire, close } = openProgress(dataDir, target)
  return {
    ...{ id, copied, retire, close },
    emailKey: readEmailKey(dataDir),
    objects: folderObjects(lakeDir(dataDir)),
    async epochs() {
      const state = connectState(statePath(dataDir))
      try {
        return await sourceEpochs(state, createFolderLake(lakeDir(dataDir)))
      } finally {
        await state.close()
      }
    },
    async open() {
      const lock = lockUnlessBusy(dataDir)
      if (lock !== null) return settle(settings, lock)
      const state = connectState(statePath(dataDir))
      return { isSettled: false, state, close: () => state.close() }
    },
  }
}

/** Moves all records of the log into the lake, as the service does. `lock` is released at the end. */
async function settle(settings: SourceSettings, lock: FolderLock): Promise<OpenedSource> {
  const { dataDir, clock, log } = settings
  try {
    const storage = await openStorage(settings)
    const { lakeState: state, stream, usage, projects } = storage
    const lake = createFolderLake(lakeDir(dataDir))
    const consumer = createLakeConsumer({ state, stream, lake, usage, projects, clock, log })
    const close = async () => {
      await storage.close()
      lock.release()
    }
    for (const shard of await stream.shards()) while ((await consumer.consume(shard)) > 0);
    if (await storage.isDrained()) return { isSettled: true, state: storage, close }
    await close()
    throw new FolderError(
      `The log of ${dataDir} cannot be stored in its lake. Start the service, look at its log, and stop it again.`,
      null,
    )
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Null: a service has the folder. */
function lockUnlessBusy(dataDir: string): FolderLock | null {
  let isBusy = false
  try {
    return lockFolder(dataDir, {
      busy: () => {
        isBusy = true
        return ''
      },
      denied: (folder, reason) =>
        `The data folder ${folder} cannot be written (${reason}). Run the command as the user of the service, or as root.`,
    })
  } catch (error) {
    if (isBusy) return null
    throw error
  }
}

/** The objects of a lake in a folder. A file that is written anew has another time or inode. */
function folderObjects(folder: string): ObjectSource {
  return {
    async list() {
      const objects: SourceObject[] = []
      for await (const key of filesBelow(folder)) {
        const stats = await orNull(stat(join(folder, key)))
        if (stats !== null) objects.push({ key, size: stats.size, version: `${stats.mtimeMs} ${stats.ino}` })
      }
      return objects
    },
    get: key => orNull(readFile(join(folder, key))),
  }
}

/** Null when the file does not exist: compaction deletes some meanwhile. */
async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
