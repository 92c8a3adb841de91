import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FolderError } from './lock.ts'

/**
 * What a data folder says of its promotion to AWS. `id`: random. `target`: the table and the bucket.
 * `is_retired`: the target serves its sites.
 */
export type PromotionNote = { id: string; target: string; is_retired: boolean }

/**
 * What a data folder says of the move of a stack into it. `source`: the table and the S3 bucket.
 * `is_stopped`: all that writes in the stack was seen to be idle. `is_whole`: the folder has everything.
 * `was_whole`: it had everything once, so a service may have taken events on it since.
 */
export type ArrivalNote = { source: string; is_stopped: boolean; is_whole: boolean; was_whole: boolean }

/** The folder of a promotion in the data folder. */
export function promotionDir(dataDir: string): string {
  return join(dataDir, 'promotion')
}

export function promotionNotePath(dataDir: string): string {
  return join(promotionDir(dataDir), 'note.json')
}

export function arrivalNotePath(dataDir: string): string {
  return join(promotionDir(dataDir), 'arrival.json')
}

/** Null: the folder was never promoted. Throws FolderError for a damaged file. */
export function readPromotionNote(dataDir: string): PromotionNote | null {
  return readNote<PromotionNote>(
    promotionNotePath(dataDir),
    `Delete the folder ${promotionDir(dataDir)}; a promotion then begins anew, with an empty stack.`,
  )
}

/** Null: no stack was moved into the folder. Throws FolderError for a damaged file. */
export function readArrivalNote(dataDir: string): ArrivalNote | null {
  return readNote<ArrivalNote>(
    arrivalNotePath(dataDir),
    'Move the data of the stack into a new folder, while the stack is still there.',
  )
}

function readNote<Note>(path: string, advice: string): Note | null {
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Note
  } catch (error) {
    throw new FolderError(`${path} is damaged. ${advice}`, error)
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

/** Throws FolderError while a stack is moved into the folder: nobody knows what it still lacks. */
export function assertArrived(dataDir: string): void {
  const note = readArrivalNote(dataDir)
  if (note === null || note.is_whole) return
  throw new FolderError(
    `The data of a stack (${note.source}) is on its way into ${dataDir}, and not all of it is there. Run the same npm run promote -- --back again until it says that a service can be started here.`,
    null,
  )
}
