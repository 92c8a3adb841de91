import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from '#local/lock'
import { UNFINISHED } from './copy-list.ts'

/** Locks a folder of copies for this process. Throws FolderError when another one has it. */
export function lockBackups(backups: string) {
  return lockFolder(backups, {
    busy: folder => `Another backup or verification uses ${folder}. Wait until it has ended.`,
    denied: (folder, reason) =>
      `The folder ${folder} cannot be written (${reason}). Name a folder that can be written.`,
  })
}

/** Deletes what a killed run left. Call it with the lock of the folder. */
export async function deleteUnfinished(backups: string): Promise<void> {
  for (const name of readdirSync(backups))
    if (name.endsWith(UNFINISHED)) await rm(join(backups, name), { recursive: true })
}
