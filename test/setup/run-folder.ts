import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endProcesses } from './run-processes.ts'

/** The folder of files in memory on Linux. */
const MEMORY_FOLDER = '/dev/shm'
/** A run writes a few hundred megabytes. Containers often have a memory folder of 64 MB. */
const MIN_FREE_BYTES = 4 * 1024 ** 3
const PREFIX = 'footfall-run-'

/**
 * Creates the folder for all temporary files of a run. It is in memory where there is room, because the
 * stores sync after every write, and a sync of a disk costs processor time. Set TMPDIR to have the files on a
 * disk.
 */
export function createRunFolder(): string {
  if (process.env.TMPDIR !== undefined || !hasRoom(MEMORY_FOLDER)) return mkdtempSync(join(tmpdir(), PREFIX))
  deleteLeftFolders()
  return mkdtempSync(join(MEMORY_FOLDER, `${PREFIX}${process.pid}-`))
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= MIN_FREE_BYTES
}

/** Ends the processes and deletes the folders of runs that were killed. They would fill the memory. */
function deleteLeftFolders(): void {
  for (const name of readdirSync(MEMORY_FOLDER)) {
    const pid = /^footfall-run-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    const folder = join(MEMORY_FOLDER, name)
    endProcesses(folder)
    // A process that ends may still write a file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}
