import type { KeyObject } from 'node:crypto'
import { mkdirSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderError } from '#local/lock'
import {
  type CopiedFile,
  type CopyList,
  copiesIn,
  copyName,
  readList,
  UNFINISHED,
  writeList,
} from './copy-list.ts'
import { folderPlace, type Place, type Previous, syncFolder } from './copy-writer.ts'
import { deleteUnfinished, lockBackups } from './lock-backups.ts'
import { type S3Address, s3Address } from './s3-address.ts'
import { openSealing, type Sealing } from './sealing.ts'

/** Where a copy is made: in a folder of copies, or in an S3 bucket. */
export type CopyTarget = {
  /** A folder for files on their way, in the data folder, because databases are not sealed yet. */
  work: string
  place: Place
  /** The files of the copy before, by path. */
  previous: ReadonlyMap<string, CopiedFile>
  /** Makes the copy one, and deletes all copies but the newest `keep`. Returns where it is. */
  finish(list: Omit<CopyList, 'format'>, keep: number): Promise<string>
  /** Deletes what is unfinished, and lets the next run begin. */
  close(): Promise<void>
}

const WORK = `backup${UNFINISHED}`

type TargetOptions = {
  /** A folder, or `s3://bucket/prefix`. */
  backups: string
  dataDir: string
  key: KeyObject | null
}

/** Begins a copy. Throws FolderError while another run is at work, and when the place cannot be used. */
export function openTarget(options: TargetOptions): Promise<CopyTarget> {
  const address = s3Address(options.backups)
  return address === null ? openFolder(options) : openS3(address, options)
}

async function openFolder({ backups, dataDir, key }: TargetOptions): Promise<CopyTarget> {
  const lock = lockBackups(backups)
  const copy = join(backups, copyName(new Date()))
  const folder = copy + UNFINISHED
  const work = join(dataDir, WORK)
  async function close(): Promise<void> {
    for (const each of [work, folder]) await rm(each, { recursive: true, force: true })
    lock.release()
  }
  try {
    await deleteUnfinished(backups)
    await makeEmpty(work)
    mkdirSync(folder, { mode: 0o700 })
    const sealing = openSealing(key)
    const previous = await readPrevious(backups, sealing, work)
    return {
      work,
      place: folderPlace(folder, sealing, previous),
      previous: previous?.files ?? new Map(),
      async finish(list, keep) {
        await writeList(folder, list, sealing)
        await syncFolder(folder, { deep: true })
        renameSync(folder, copy)
        await syncFolder(backups)
        for (const old of copiesIn(backups).slice(0, -keep)) await rm(old, { recursive: true })
        return copy
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function openS3(address: S3Address, { dataDir, key }: TargetOptions): Promise<CopyTarget> {
  // A bucket has no lock, and two runs of one machine would use the same folder for files on their way.
  const lock = lockBackups(join(dataDir, 'lock-backup'))
  const { openBucket } = await import('./s3-bucket.ts')
  const { deleteOldCopies, finishCopy, previousFiles, s3Place } = await import('./s3-copies.ts')
  const bucket = openBucket(address)
  const work = join(dataDir, WORK)
  async function close(): Promise<void> {
    await rm(work, { recursive: true, force: true })
    bucket.close()
    lock.release()
  }
  try {
    await makeEmpty(work)
    const sealing = openSealing(key)
    const name = copyName(new Date())
    return {
      work,
      place: s3Place(bucket, sealing, work),
      previous: await previousFiles(bucket, sealing, work),
      async finish(list, keep) {
        const copy = await finishCopy(bucket, { name, sealing, work }, list)
        await deleteOldCopies(bucket, { keep, sealing, work })
        return copy
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function makeEmpty(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
}

/** The newest copy, if this key opens its list. With another key, or none, a copy begins anew. */
async function readPrevious(backups: string, sealing: Sealing, scratch: string): Promise<Previous | null> {
  const copy = copiesIn(backups).at(-1)
  if (copy === undefined) return null
  try {
    const { files } = await readList(copy, sealing, scratch)
    return { copy, files: new Map(files.map(file => [file.path, file])) }
  } catch (error) {
    if (error instanceof FolderError) return null
    throw error
  }
}
