import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { jsonOrNull } from '#core/text/json-or-null'
import { writeAtomically } from '#local/atomic-file'
import { FolderError } from '#local/lock'
import { isSealed, type Sealing, SUFFIX } from './sealing.ts'

/**
 * The list of a copy: every file with its content, and what the service counted while it was made. It is
 * written last, so a folder without a list is no copy.
 */

/** Number of the form of a copy. A newer one is refused. */
const FORMAT = 1
export const LIST = 'backup.json'
/**
 * The end of the name of a folder that nobody has finished. Nothing reads it, and the next run deletes it.
 */
export const UNFINISHED = '.unfinished'
/** The name of a copy: when it was begun. */
export const COPY_NAME = /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z$/

const copiedFile = z.object({
  /** In the data folder, with `/`. */
  path: z.string().regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$)).+$/),
  bytes: z.number().int().nonnegative(),
  /** Time of the last change, Unix ms. A later copy takes a file with the same time and size from here. */
  modified_ms: z.number(),
  sha256: z.string(),
})
const copyList = z.object({
  format: z.literal(FORMAT),
  made_at: z.iso.datetime(),
  files: z.array(copiedFile),
  /**
   * Events by project and UTC day: at least and at most so many, as the service counted before and after.
   * Null: no service ran.
   */
  days: z.record(z.string(), z.record(z.string(), z.tuple([z.number(), z.number()]))).nullable(),
})

export type CopiedFile = z.infer<typeof copiedFile>
export type CopyList = z.infer<typeof copyList>
export type ExpectedDays = NonNullable<CopyList['days']>

/** Writes the list of a copy, and seals it. */
export async function writeList(
  copy: string,
  list: Omit<CopyList, 'format'>,
  sealing: Sealing,
): Promise<void> {
  const plain = join(copy, LIST)
  writeAtomically(plain, JSON.stringify({ format: FORMAT, ...list }))
  const stored = join(copy, sealing.nameOf(LIST))
  if (stored === plain) return
  await sealing.seal(plain, stored, LIST)
  await rm(plain)
}

/**
 * Reads the list of a copy. Throws FolderError for a folder that is no copy, for a sealed copy without its
 * key, and for a form that this version does not know. `scratch`: where an unsealed list may lie meanwhile.
 */
export async function readList(copy: string, sealing: Sealing, scratch: string): Promise<CopyList> {
  const stored = join(copy, sealing.nameOf(LIST))
  if (!existsSync(stored)) throw new FolderError(noList(copy, stored), null)
  const plain = join(scratch, LIST)
  if (stored !== plain) await sealing.unseal(stored, plain, LIST)
  const parsed = copyList.safeParse(jsonOrNull(readFileSync(plain, 'utf8')))
  if (stored !== plain) await rm(plain)
  if (parsed.success) return parsed.data
  throw new FolderError(
    `${stored} cannot be read: a newer version has written it, or it is damaged. Use the version of the copy, or another copy.`,
    parsed.error,
  )
}

function noList(copy: string, stored: string): string {
  if (isSealed(stored) && existsSync(join(copy, LIST)))
    return `The copy ${copy} is not sealed. Leave --key-file out.`
  if (!isSealed(stored) && existsSync(copy) && readdirSync(copy).some(name => isSealed(name)))
    return `The copy ${copy} is sealed. Name its key with --key-file.`
  return `${copy} is no copy: it has no ${LIST}. Name a folder that \`footfall backup\` has written.`
}

/** The copies of a folder of backups, oldest first: their paths. */
export function copiesIn(backups: string): string[] {
  if (!existsSync(backups)) return []
  const names = readdirSync(backups).filter(name => COPY_NAME.test(name))
  return names.toSorted().map(name => join(backups, name))
}

/** The name of a copy that is made now. */
export function copyName(now: Date): string {
  return now.toISOString().replaceAll(':', '')
}

/** The copy that a path names: a copy itself, or the newest one of a folder of backups. */
export function findCopy(path: string): { copy: string; backups: string } {
  const whole = resolve(path)
  const isCopy = [LIST, `${LIST}${SUFFIX}`].some(name => existsSync(join(whole, name)))
  if (isCopy) return { copy: whole, backups: dirname(whole) }
  const newest = copiesIn(whole).at(-1)
  if (newest !== undefined) return { copy: newest, backups: whole }
  throw new FolderError(`${whole} has no copy. Name a folder that \`footfall backup\` has written.`, null)
}
