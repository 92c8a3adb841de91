import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { credentialsPath } from './credentials-file.ts'
import { lakeDir, statePath } from './data-folder.ts'
import { FolderError } from './lock.ts'
import { logPath } from './stream/log-file.ts'
import { busyDir } from './stream/logs-reader.ts'

/** The file that is in a data folder while a copy is restored into it. */
export function restoringPath(dataDir: string): string {
  return join(dataDir, 'restoring')
}

/**
 * Throws FolderError if a restoration into the folder was interrupted: nobody knows which files it lacks. And
 * throws if the folder has data and no file of the state. Nothing is written, so the operator can
 * put the file back. A start that went on would be ready with a new account, and refuse every event of the
 * tokens that are in use.
 */
export function assertStateFile(dataDir: string): void {
  if (existsSync(restoringPath(dataDir)))
    throw new FolderError(
      `A restoration into ${dataDir} was interrupted, so files are missing. Run the same footfall restore again.`,
      null,
    )
  if ((statSync(statePath(dataDir), { throwIfNoEntry: false })?.size ?? 0) === 0) assertNoData(dataDir)
}

/** Throws FolderError if the folder has data. Call it for a folder whose state has no items. */
export function assertNoData(dataDir: string): void {
  const found = dataOf(dataDir)
  if (found.length === 0) return
  throw new FolderError(
    `The data folder ${dataDir} has ${found.join(', ')}, but its state is missing: ${statePath(dataDir)} does not exist or has nothing in it, so no account, project or key is known. Put state.db back from a backup; an older one works too. If a version from before 2026-11-23 wrote the folder, start that version. To begin with nothing, set DATA_DIR to another folder.`,
    null,
  )
}

/** What no start writes before the state has items. */
function dataOf(dataDir: string): string[] {
  const files = [logPath(dataDir), logPath(busyDir(dataDir)), credentialsPath(dataDir)]
  return [
    ...files.filter(path => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0),
    ...[lakeDir(dataDir)].filter(hasFiles),
  ]
}

function hasFiles(folder: string): boolean {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false
  return readdirSync(folder, { withFileTypes: true }).some(
    entry => !entry.isDirectory() || hasFiles(join(folder, entry.name)),
  )
}
