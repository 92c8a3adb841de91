import { ApiError } from '#core/errors'
import { createFirstEditionState } from '#core/lake/first-edition-state'
import { MAINTENANCE_DEFAULTS } from '#core/lake/maintenance'
import { upgradeLake } from '#core/lake/upgrade-lake'
import type { Lake, Log } from '#core/ports'
import type { StateTable } from '#core/state-table'
import type { Stores } from '#core/stores'
import { createFoldedEvents } from '#core/usage/folded-events'
import { DamagedObject } from '#duckdb/damaged'
import { createFirstEditionConverter } from '#duckdb/first-edition'
import { FolderError } from '#local/lock'

export type LocalUpgrade = Pick<Stores, 'lakeState' | 'usage' | 'projects'> & {
  state: StateTable
  lake: Lake
  tempDir: string
  memoryMb: number
  log: Log
}

/**
 * Upgrades the lake of a data folder that the first edition wrote; it leaves every other folder as it is. Throws FolderError if a file cannot
 * be read or written: then nothing has been deleted.
 */
export async function upgradeLocalLake(services: LocalUpgrade): Promise<void> {
  const { state, lakeState, usage, projects, lake, tempDir, memoryMb, log } = services
  try {
    await upgradeLake({
      firstEdition: createFirstEditionState(state),
      state: lakeState,
      lake,
      converter: createFirstEditionConverter({ lake, tempDir, log, memoryMb, threads: 2 }),
      usage,
      projects,
      readFoldedEvents: createFoldedEvents(state),
      segmentBytes: MAINTENANCE_DEFAULTS.mergeBytes,
      log,
    })
  } catch (error) {
    if (!(error instanceof DamagedObject || error instanceof ApiError)) throw error
    throw new FolderError(
      `The data folder is from an older version and could not be upgraded. ${error.message} No event was deleted. ` +
        'Fix the problem (docs/operations.md, A newer version on one machine), then start the service again.',
      error,
    )
  }
}
