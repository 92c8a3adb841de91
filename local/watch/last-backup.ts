import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from '#local/atomic-file'

/** The file of a data folder that says when its newest copy was made. */
export function lastBackupPath(dataDir: string): string {
  return join(dataDir, 'last-backup')
}

/** Notes that a copy of the folder is whole since `at`, Unix ms. */
export function noteBackup(dataDir: string, at: number): void {
  writeAtomically(lastBackupPath(dataDir), `${new Date(at).toISOString()}\n`)
}

/** When the newest copy was made, Unix ms; null where no copy is known, or this user may not read that. */
export function readLastBackup(dataDir: string): number | null {
  try {
    const at = Date.parse(readFileSync(lastBackupPath(dataDir), 'utf8').trim())
    return Number.isNaN(at) ? null : at
  } catch {
    return null
  }
}
