import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FolderError } from './lock.ts'

/**
 * What a data folder says of its promotion to AWS. `id`: random. `target`: the table and the bucket.
 * `is_retired`: the target serves its sites.
 */
export type PromotionNote = { id: string; target: string; is_retired: boolean }

/** The folder of a promotion in the data folder. */
export function promotionDir(dataDir: string): string {
  return join(dataDir, 'promotion')
}

export function promotionNotePath(dataDir: string): string {
  return join(promotionDir(dataDir), 'note.json')
}

/** Null: the folder was never promoted. Throws FolderError for a damaged file. */
export function readPromotionNote(dataDir: string): PromotionNote | null {
  const path = promotionNotePath(dataDir)
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as PromotionNote
  } catch (error) {
    throw new FolderError(
      `${path} is damaged. Delete the folder ${promotionDir(dataDir)}; a promotion then begins anew, with an empty stack.`,
      error,
    )
  }
}

/**
 * Throws FolderError if the folder was promoted. A service on it would take events that the target never
 * gets, and accept keys that were revoked there.
 */
export function assertNotPromoted(dataDir: string): void {
  const note = readPromotionNote(dataDir)
  if (note?.is_retired !== true) return
  throw new FolderError(
    `${dataDir} was promoted to AWS (${note.target}), which serves its sites. To use it here again without what has come to AWS since, delete the folder ${promotionDir(dataDir)}.`,
    null,
  )
}
