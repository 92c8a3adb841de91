import { mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Why the service cannot have a data folder; the message is for the operator. */
export class FolderError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'FolderError'
  }
}

export type FolderLock = {
  /** Lets the folder go; the end of the process, however it ends, does the same. */
  release(): void
}

/** SQLite's result code when another connection holds the file. */
const SQLITE_BUSY = 5

/**
 * Makes the data folder where there is none and takes it for this process alone. The lock is an exclusive transaction
 * on an empty SQLite file: the system lets it go with the process, so that kill -9 leaves nothing behind, and it is
 * seen by every other process on the machine. Throws FolderError when another service has the folder, or it
 * cannot be made or written.
 */
export function lockFolder(folder: string): FolderLock {
  try {
    makeFolder(resolve(folder))
    const database = new DatabaseSync(join(folder, 'lock'))
    try {
      // A write, as a read-only file would take part in an exclusive transaction happily.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1')
    } catch (error) {
      database.close()
      throw error
    }
    return { release: () => database.close() }
  } catch (error) {
    throw new FolderError(reason(folder, error), error)
  }
}

/**
 * Makes a folder and those above it. Not by Node's `recursive`, which never returns where a parent that is there answers
 * ENOENT, as /proc and automatic mounts do (Node 24).
 */
function makeFolder(folder: string): void {
  const isThere = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory()
  if (isThere()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have been quicker.
    if (!isThere()) throw error
  }
}

function reason(folder: string, error: unknown): string {
  const { message, errcode } = error as Error & { errcode?: number }
  return errcode === SQLITE_BUSY
    ? `another Footfall service runs on ${folder}; stop it, or set DATA_DIR to another folder`
    : `the data folder ${folder} cannot be written (${message}); set DATA_DIR to a folder that can`
}
