import { mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The service cannot use a data folder. The message is for the operator. */
export class FolderError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'FolderError'
  }
}

export type FolderLock = {
  /** Releases the folder. The end of the process does the same, also after kill -9. */
  release(): void
}

/** What the operator reads when another process has the lock, and when the folder cannot be written. */
export type LockMessages = {
  busy(folder: string): string
  denied(folder: string, reason: string): string
}

const ofService: LockMessages = {
  busy: folder =>
    `Another Footfall service uses ${folder}. Stop that service, also after an update: it still runs the old version. Or set DATA_DIR to another folder.`,
  denied: (folder, reason) =>
    `The data folder ${folder} cannot be written (${reason}). Set DATA_DIR to a folder that can be written.`,
}

/** Mode of new folders: the data holds credentials, and what visitors did. */
const OWNER_ONLY = 0o700
/** SQLite's result code when another connection holds the file. */
const SQLITE_BUSY = 5

/**
 * Creates the data folder if needed, and locks it for this process. The lock is an exclusive transaction on
 * an empty SQLite file. Every other process of the machine sees the lock, and the system releases it when the
 * process ends. Throws FolderError when another service has the lock, or when the folder cannot be created or
 * written.
 */
export function lockFolder(folder: string, messages: LockMessages = ofService): FolderLock {
  try {
    createFolder(resolve(folder))
    const database = new DatabaseSync(join(folder, 'lock'))
    try {
      // `user_version = 1` is a write, because SQLite also opens an exclusive transaction on a read-only
      // file.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1')
    } catch (error) {
      database.close()
      throw error
    }
    return { release: () => database.close() }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    const { busy, denied } = messages
    throw new FolderError(errcode === SQLITE_BUSY ? busy(folder) : denied(folder, message), error)
  }
}

/**
 * Creates a folder and its missing parents, for their owner alone. Node's `recursive` option is not used: it
 * never returns when an existing parent reports ENOENT, as /proc and automatic mounts do (Node 24).
 */
function createFolder(folder: string): void {
  const exists = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory()
  if (exists()) return
  if (dirname(folder) !== folder) createFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: OWNER_ONLY })
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!exists()) throw error
  }
}

/** Whether other users of the machine may read or write the folder. Windows has no such modes. */
export function isOpenToOthers(folder: string): boolean {
  return process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0
}
