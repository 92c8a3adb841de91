import { join } from 'node:path'

/** Where things are in the data folder of an install. */

/** Folder of the lake. */
export function lakeDir(dataDir: string): string {
  return join(dataDir, 'lake')
}

/** File of the state. SQLite keeps two more files beside it, with the endings `-wal` and `-shm`. */
export function statePath(dataDir: string): string {
  return join(dataDir, 'state.db')
}

/** Folder for the temporary files of compaction. */
export function compactionTempDir(dataDir: string): string {
  return join(dataDir, 'merging')
}

/** Folder for what browsers write while they render pages. */
export function browserTempDir(dataDir: string): string {
  return join(dataDir, 'rendering')
}

/** Folder of the files of exports. They can be made again, so backups leave it out. */
export function exportsDir(dataDir: string): string {
  return join(dataDir, 'exports')
}

/** Folder for what exports write while they run. */
export function exportTempDir(dataDir: string): string {
  return join(dataDir, 'exporting')
}

/** Folder to which queries spill when they need more memory than they may use. */
export function queryTempDir(dataDir: string): string {
  return join(dataDir, 'querying')
}
