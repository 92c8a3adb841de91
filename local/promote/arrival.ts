import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CopiedObjects } from '#core/promote/ports'
import { writeAtomically } from '#local/atomic-file'
import { FolderError } from '#local/lock'
import {
  type ArrivalNote,
  arrivalNotePath,
  promotionDir,
  promotionNotePath,
  readArrivalNote,
} from '#local/promotion-note'
import { lockPromotion, openCopied } from './progress.ts'

/** How far the move of a stack into a folder has come, in files of the folder. */
export type Arrival = {
  copied: CopiedObjects
  note(): ArrivalNote
  /** Changes the note, durably. */
  change(changes: Partial<Omit<ArrivalNote, 'source'>>): void
  close(): void
}

/** What a command that was killed at its begin may have left in an empty folder. */
const HARMLESS: readonly string[] = ['lock', 'promotion']

/** Throws FolderError if no move into the folder has begun. */
export function assertBegun(dataDir: string): void {
  if (readArrivalNote(dataDir) !== null) return
  throw new FolderError(`No stack is moved into ${dataDir}. Name the folder of the move with --data.`, null)
}

/**
 * Opens the move of `source` into a folder, and begins it if the folder is new or empty. From then on no
 * service starts on the folder until it is whole. Throws FolderError when the folder has anything else, and
 * when another process moves something into it now.
 */
export function openArrival(dataDir: string, source: string): Arrival {
  if (readArrivalNote(dataDir) === null) assertEmptyFolder(dataDir)
  const lock = lockPromotion(dataDir)
  try {
    const path = arrivalNotePath(dataDir)
    let note = readArrivalNote(dataDir) ?? { source, is_stopped: false, is_whole: false, was_whole: false }
    if (note.source !== source)
      throw new FolderError(
        `The data in ${dataDir} is that of another stack (${note.source}), not of ${source}. Name that stack with --stack, or a new folder with --data.`,
        null,
      )
    const write = () => writeAtomically(path, JSON.stringify(note))
    if (!existsSync(path)) write()
    return {
      copied: openCopied(join(promotionDir(dataDir), 'arrived-objects.jsonl')),
      note: () => note,
      change(changes) {
        note = { ...note, ...changes }
        write()
      },
      close: lock.release,
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

function assertEmptyFolder(dataDir: string): void {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : []
  const found = names.find(name => !HARMLESS.includes(name))
  if (found === undefined && !existsSync(promotionNotePath(dataDir))) return
  throw new FolderError(
    `The folder ${dataDir} is not empty (${found ?? 'promotion'}), and the move replaces everything. Name a new folder with --data.`,
    null,
  )
}
