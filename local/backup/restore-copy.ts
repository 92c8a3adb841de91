import type { KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeAtomically } from '#local/atomic-file'
import { FolderError, lockFolder } from '#local/lock'
import { restoringPath } from '#local/lost-state'
import { type CopiedFile, findCopy, UNFINISHED } from './copy-list.ts'
import { linkTo, syncFolder } from './copy-writer.ts'
import { type OpenedCopy, openCopy } from './open-copy.ts'
import { s3Address } from './s3-address.ts'
import { type Content, contentOf, openSealing, type Sealing } from './sealing.ts'

export type RestoreOptions = {
  /** A copy, or a folder or an S3 address of copies: the newest one of them. */
  from: string
  /** The data folder: new, empty, or left by an interrupted restoration. */
  dataDir: string
  /** Null: the copy is not sealed. */
  key: KeyObject | null
}

export type Restored = { copy: string; files: number; bytes: number }

/** What a start or an interrupted restoration may have left in a folder without data. */
const HARMLESS: readonly string[] = ['lock', 'admin.sock', 'restoring', `restore${UNFINISHED}`]

/**
 * Puts a copy into a data folder, and compares every file with what was copied. The file `restoring` is there
 * until all files are, and no service starts meanwhile; a run that is killed continues when it is run again.
 * Throws FolderError when the folder has data, when a file of the copy is missing or damaged, or when the key
 * is another one.
 */
export async function restoreCopy({ from, dataDir, key }: RestoreOptions): Promise<Restored> {
  // Before anything is written.
  if (s3Address(from) === null) findCopy(from)
  const sealing = openSealing(key)
  const lock = lockFolder(dataDir)
  let opened: OpenedCopy | null = null
  try {
    const isAgain = existsSync(restoringPath(dataDir))
    if (!isAgain) assertEmpty(dataDir)
    const work = join(dataDir, `restore${UNFINISHED}`)
    await rm(work, { recursive: true, force: true })
    mkdirSync(work, { mode: 0o700 })
    // Before the folder is marked: a wrong address or key must not leave a folder that no service starts on.
    opened = await openCopy(from, sealing, work)
    writeAtomically(restoringPath(dataDir), `${from}\n`)
    const { copy, folder } = opened
    const { files } = opened.list
    for (const file of files) {
      const to = join(dataDir, file.path)
      if (isAgain && (await isThere(file, to))) continue
      await opened.fetch(file)
      await bringBack({ copy: folder, sealing, file, work, to })
      await opened.release(file)
    }
    await rm(work, { recursive: true })
    await syncFolder(dataDir, { deep: true })
    await rm(restoringPath(dataDir))
    await syncFolder(dataDir)
    return { copy, files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
  } finally {
    opened?.close()
    lock.release()
  }
}

/**
 * Puts every file of a copy below another folder, for a look at it: objects of the lake as links where that
 * goes, because nothing changes them in place. Returns what is wrong with files that are missing or damaged,
 * a sentence each.
 */
export async function unpackCopy(
  { folder: copy, list: { files }, fetch, release }: OpenedCopy,
  folder: string,
  sealing: Sealing,
): Promise<string[]> {
  const problems: string[] = []
  const work = join(folder, `work${UNFINISHED}`)
  mkdirSync(work, { recursive: true, mode: 0o700 })
  for (const file of files) {
    try {
      const one = { copy, sealing, file, work, to: join(folder, file.path) }
      await fetch(file)
      if (!(await linkObject(one))) await bringBack(one)
      await release(file)
    } catch (error) {
      if (!(error instanceof FolderError)) throw error
      problems.push(error.message)
    }
  }
  await rm(work, { recursive: true })
  return problems
}

/** Whether a plain object of the lake could be linked. Throws FolderError when it is damaged. */
async function linkObject({ copy, sealing, file, to }: OneFile): Promise<boolean> {
  const { path } = file
  if (!path.startsWith('lake/') || sealing.nameOf(path) !== path) return false
  const from = join(copy, path)
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  if (!(await linkTo(from, to))) return false
  assertSame(await contentOf(to), file, from)
  return true
}

function assertSame({ sha256 }: Content, file: CopiedFile, from: string): void {
  if (sha256 !== file.sha256) throw new FolderError(`${from} is damaged. Use another copy.`, null)
}

type OneFile = { copy: string; sealing: Sealing; file: CopiedFile; work: string; to: string }

async function bringBack({ copy, sealing, file, work, to }: OneFile): Promise<void> {
  const from = join(copy, sealing.nameOf(file.path))
  const unfinished = join(work, 'file')
  const content = await sealing.unseal(from, unfinished, file.path).catch(error => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new FolderError(`${from} is missing. Use another copy.`, error)
  })
  assertSame(content, file, from)
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  const changed = new Date(file.modified_ms)
  await utimes(unfinished, changed, changed)
  await rename(unfinished, to)
}

/** A file is renamed when it is whole, so its size and time tell. */
async function isThere({ bytes, modified_ms }: CopiedFile, path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found !== null && found.size === bytes && Math.abs(found.mtimeMs - modified_ms) <= 1
}

function assertEmpty(dataDir: string): void {
  const found = readdirSync(dataDir).filter(name => !HARMLESS.some(each => name.startsWith(each)))
  if (found.length === 0) return
  throw new FolderError(
    `${dataDir} is not empty: it has ${found.slice(0, 3).join(', ')}. Move it away, or name another folder with --data.`,
    null,
  )
}
