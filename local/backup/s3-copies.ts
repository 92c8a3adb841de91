import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DAY_MS } from '#core/time'
import { FolderError } from '#local/lock'
import { COPY_NAME, type CopiedFile, type CopyList, LIST, readList, writeList } from './copy-list.ts'
import type { Place } from './copy-writer.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { type Sealing, SUFFIX } from './sealing.ts'

/**
 * Copies in an S3 bucket. `copies/<time>/backup.json` is the list of a copy, written last, and `files/` has
 * the files of all copies, each once, under the hash of its key, path and content. So a copy stores only what
 * no earlier one has, and a file goes with the last copy that names it.
 */
const COPIES = 'copies/'
const FILES = 'files/'
/**
 * A file that no list names may be one of a copy that is being made. After so long, ms, it was left by a run
 * that was killed.
 */
const UNLISTED_MS = DAY_MS

function fileKey(sealing: Sealing, { path, sha256 }: Pick<CopiedFile, 'path' | 'sha256'>): string {
  return (
    FILES + sealing.nameOf(createHash('sha256').update(`${sealing.mark}\n${path}\n${sha256}`).digest('hex'))
  )
}

/** The times of all copies, oldest first. */
async function copyNames(bucket: S3Bucket): Promise<string[]> {
  const objects = await bucket.list(COPIES)
  const names = objects.flatMap(({ key }) => {
    const [name = '', file] = key.slice(COPIES.length).split('/')
    return COPY_NAME.test(name) && (file === LIST || file === `${LIST}${SUFFIX}`) ? [name] : []
  })
  return [...new Set(names)].toSorted()
}

/** Brings the list of a copy into a folder in `work`, sealed or not, and returns the folder. */
async function fetchList(bucket: S3Bucket, name: string, work: string): Promise<string> {
  const folder = join(work, 'list')
  await rm(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const file of [LIST, `${LIST}${SUFFIX}`]) {
    const isThere = await bucket.get(`${COPIES}${name}/${file}`, join(folder, file))
    if (!isThere) await rm(join(folder, file), { force: true })
  }
  return folder
}

/** Where a new copy is put. `work`: a folder for files on their way. */
export function s3Place(bucket: S3Bucket, sealing: Sealing, work: string): Place {
  return {
    reuse: async () => true,
    async add(from, path) {
      const sealed = join(work, 'sealed')
      const content = await sealing.seal(from, sealed, path)
      await bucket.put(fileKey(sealing, { path, ...content }), sealed)
      await rm(sealed)
      return content
    },
  }
}

/**
 * The files of the newest copy, by path. With another key than that of the copy, or none, a copy begins anew.
 */
export async function previousFiles(
  bucket: S3Bucket,
  sealing: Sealing,
  work: string,
): Promise<ReadonlyMap<string, CopiedFile>> {
  const name = (await copyNames(bucket)).at(-1)
  const files = name === undefined ? null : await filesOf(bucket, name, sealing, work)
  return new Map(files?.map(file => [file.path, file]))
}

/** The files of a copy; null when its list cannot be read, such as with another key. */
async function filesOf(
  bucket: S3Bucket,
  name: string,
  sealing: Sealing,
  work: string,
): Promise<CopiedFile[] | null> {
  const folder = await fetchList(bucket, name, work)
  try {
    return (await readList(folder, sealing, work)).files
  } catch (error) {
    if (error instanceof FolderError) return null
    throw error
  }
}

/** Makes a copy of what was added: its list is written last. Returns where it is. */
export async function finishCopy(
  bucket: S3Bucket,
  { name, sealing, work }: { name: string; sealing: Sealing; work: string },
  list: Omit<CopyList, 'format'>,
): Promise<string> {
  const folder = join(work, 'list')
  await rm(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  await writeList(folder, list, sealing)
  const file = sealing.nameOf(LIST)
  await bucket.put(`${COPIES}${name}/${file}`, join(folder, file))
  return `${bucket.name}${COPIES}${name}`
}

/**
 * Deletes all copies but the newest `keep`, and the files that no list names any more. While a list cannot be
 * read with this key, the files stay, because nobody knows which it names.
 */
export async function deleteOldCopies(
  bucket: S3Bucket,
  { keep, sealing, work }: { keep: number; sealing: Sealing; work: string },
): Promise<void> {
  const names = await copyNames(bucket)
  const old = names.slice(0, -keep)
  await bucket.remove(old.flatMap(name => [LIST, `${LIST}${SUFFIX}`].map(file => `${COPIES}${name}/${file}`)))
  const named = new Set<string>()
  for (const name of names.slice(-keep)) {
    const files = await filesOf(bucket, name, sealing, work)
    if (files === null) return
    for (const file of files) named.add(fileKey(sealing, file))
  }
  const before = Date.now() - UNLISTED_MS
  const stored = await bucket.list(FILES)
  await bucket.remove(
    stored.flatMap(({ key, writtenAt }) => (named.has(key) || writtenAt > before ? [] : [key])),
  )
}

/**
 * Opens a copy: the named one, or with null the newest one. Files come one by one into a folder in `work`.
 * Throws FolderError as readList does.
 */
export async function openS3Copy(
  bucket: S3Bucket,
  { named, sealing, work }: { named: string | null; sealing: Sealing; work: string },
) {
  const name = named ?? (await copyNames(bucket)).at(-1)
  if (name === undefined)
    throw new FolderError(
      `${bucket.name} has no copy. Name an address to which \`footfall backup\` has written.`,
      null,
    )
  const list = await readList(await fetchList(bucket, name, work), sealing, work)
  const folder = join(work, 'fetched')
  const local = (file: CopiedFile) => join(folder, sealing.nameOf(file.path))
  return {
    copy: `${bucket.name}${COPIES}${name}`,
    folder,
    list,
    /** Puts the file where a copy in a folder has it. A missing one is not there. */
    async fetch(file: CopiedFile): Promise<void> {
      mkdirSync(dirname(local(file)), { recursive: true, mode: 0o700 })
      if (!(await bucket.get(fileKey(sealing, file), local(file)))) await rm(local(file), { force: true })
    },
    release: (file: CopiedFile) => rm(local(file), { force: true }),
  }
}
