import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { convertibleEdition } from '#core/lake/model/edition'
import type { Log, Now } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import { copyDatabase } from '#local/backup/copy-database'
import { statePath } from '#local/data-folder'
import { FolderError } from '#local/lock'

/** How long the copy stays, ms: no erasure reaches it, so it must not stay for good. */
const KEPT_MS = 30 * DAY_MS
const NAME = /^state\.db\.edition-\d+(\.unfinished)?$/

/**
 * Copies the state of an older edition to `state.db.edition-<number>`, before this version converts it. A
 * copy that an interrupted start has made stays. Throws EditionError for data that this version cannot
 * convert, and FolderError when the copy cannot be written: then nothing is converted.
 */
export async function keepBeforeConversion(state: StateTable, dataDir: string, log: Log): Promise<void> {
  const edition = await convertibleEdition(state)
  if (edition === null) return
  const copy = join(dataDir, `state.db.edition-${edition}`)
  if (existsSync(copy)) return
  const unfinished = `${copy}.unfinished`
  try {
    rmSync(unfinished, { force: true })
    await copyDatabase(statePath(dataDir), unfinished)
    renameSync(unfinished, copy)
  } catch (error) {
    throw new FolderError(
      `The state in ${dataDir} is of an older edition, and it could not be copied before its conversion (${(error as Error).message}). Make room on the disk, and start again. Nothing was converted.`,
      error,
    )
  }
  log('STATE_KEPT', { edition, path: copy })
}

/** Deletes copies that are old enough. */
export function deleteKeptStates(dataDir: string, clock: Now): void {
  for (const name of readdirSync(dataDir).filter(name => NAME.test(name))) {
    const path = join(dataDir, name)
    if (clock.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true })
  }
}
