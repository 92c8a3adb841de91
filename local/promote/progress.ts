import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CopiedObjects, SourceObject } from '#core/promote/ports'
import { writeAtomically } from '#local/atomic-file'
import { FolderError, type FolderLock, lockFolder } from '#local/lock'
import { type PromotionNote, promotionDir, promotionNotePath, readPromotionNote } from '#local/promotion-note'

/** How far a promotion has come, in files of the data folder. */
export type PromotionProgress = {
  /** The id of the source. */
  id: string
  copied: CopiedObjects
  /** From now on no service starts on the folder. */
  retire(): void
  close(): void
}

/**
 * Opens the progress of a promotion to `target`, and begins it if there is none. Throws FolderError when the
 * folder is promoted to another target, and when another process promotes it now.
 */
export function openProgress(dataDir: string, target: string): PromotionProgress {
  const lock = lockPromotion(dataDir)
  const path = promotionNotePath(dataDir)
  try {
    const note = noteOf(dataDir, target)
    if (!existsSync(path)) writeAtomically(path, JSON.stringify(note))
    return {
      id: note.id,
      copied: openCopied(join(promotionDir(dataDir), 'objects.jsonl')),
      retire: () => writeAtomically(path, JSON.stringify({ ...note, is_retired: true })),
      close: lock.release,
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Creates the folder of a promotion, and locks it. Throws FolderError while another process promotes. */
export function lockPromotion(dataDir: string): FolderLock {
  mkdirSync(promotionDir(dataDir), { recursive: true, mode: 0o700 })
  return lockFolder(promotionDir(dataDir), {
    busy: () => `Another process promotes ${dataDir}. Wait until it has ended.`,
    denied: (folder, reason) =>
      `The folder ${folder} cannot be written (${reason}). Run the command as the user of the service, or as root.`,
  })
}

/** The note of the folder, or a new one. Throws FolderError when it names another target. */
function noteOf(dataDir: string, target: string): PromotionNote {
  const note = readPromotionNote(dataDir)
  if (note === null) return { id: randomBytes(16).toString('hex'), target, is_retired: false }
  if (note.target === target) return note
  throw new FolderError(
    `${dataDir} is promoted to ${note.target}, not to ${target}. Name that stack, or delete the folder ${promotionDir(dataDir)} to begin anew with an empty stack.`,
    null,
  )
}

/**
 * The objects that were copied, one a line. The last line may be torn, and then its object is copied again.
 */
export function openCopied(path: string): CopiedObjects {
  const versions = new Map<string, string>()
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  for (const line of text.split('\n').slice(0, -1)) noteLine(versions, line)
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n')
  return {
    has: ({ key, version }) => versions.get(key) === version,
    note({ key, version }: SourceObject) {
      appendFileSync(path, `${JSON.stringify([key, version])}\n`, { mode: 0o600 })
      versions.set(key, version)
    },
  }
}

function noteLine(versions: Map<string, string>, line: string): void {
  try {
    const [key, version] = JSON.parse(line) as [string, string]
    versions.set(key, version)
  } catch {
    // A line that a killed process has not finished.
  }
}
