import { mkdirSync } from 'node:fs'
import { link, open, readdir, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CopiedFile } from './copy-list.ts'
import type { Content, Sealing } from './sealing.ts'

/** Where a copy is put. */
export type Place = {
  /** Takes a file that has not changed from the copy before. Returns whether it could. */
  reuse(file: CopiedFile): Promise<boolean>
  /** Puts a file there, sealed. `path`: in the data folder. `modifiedMs`: its last change, Unix ms. */
  add(from: string, path: string, modifiedMs: number): Promise<Content>
}

/** An earlier copy in a folder, from which files are taken that have not changed. */
export type Previous = { copy: string; files: ReadonlyMap<string, CopiedFile> }

/** Some file systems keep times to the ms only, or less exactly. */
const SAME_MS = 1
/** The file system has no hard links, the other copy is on another one, or a file has too many links. */
const NO_LINK: readonly unknown[] = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'ENOENT']

/** A new copy in a folder. */
export function folderPlace(folder: string, sealing: Sealing, previous: Previous | null): Place {
  /** Where the file is in the copy; its folder is made. */
  function placeOf(path: string): string {
    const to = join(folder, sealing.nameOf(path))
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    return to
  }
  return {
    reuse: ({ path }) => linkTo(join(previous?.copy ?? '', sealing.nameOf(path)), placeOf(path)),
    async add(from, path, modifiedMs) {
      const to = placeOf(path)
      try {
        const content = await sealing.seal(from, to, path)
        await utimes(to, new Date(modifiedMs), new Date(modifiedMs))
        return content
      } catch (error) {
        await rm(to, { force: true })
        throw error
      }
    },
  }
}

/** Puts files into a copy, each under its path in the data folder. `previous`: those of the copy before. */
export function createCopyWriter(place: Place, previous: ReadonlyMap<string, CopiedFile>) {
  const files = new Map<string, CopiedFile>()
  const added = { files: 0, bytes: 0 }

  /** Takes a file. A file that is not there any more is left out: compaction deletes some meanwhile. */
  async function take(from: string, path: string): Promise<void> {
    try {
      const { mtimeMs, size } = await stat(from)
      // Nothing changes an object of the lake in its place, also not a service that is started on a copy.
      const kept = path.startsWith('lake/') ? previous.get(path) : undefined
      const isSame =
        kept !== undefined && kept.bytes === size && Math.abs(kept.modified_ms - mtimeMs) <= SAME_MS
      if (isSame && (await place.reuse(kept))) {
        files.set(path, kept)
        return
      }
      const content = await place.add(from, path, mtimeMs)
      files.set(path, { path, ...content, modified_ms: mtimeMs })
      added.files += 1
      added.bytes += content.bytes
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  return {
    take,
    /** All files so far, in the order of their paths. */
    list: () => [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    /** What no earlier copy had. */
    added,
  }
}

/**
 * Links a file, so that both names share its bytes. Returns whether the file is there and the file system
 * can.
 */
export async function linkTo(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (NO_LINK.includes((error as NodeJS.ErrnoException).code)) return false
    throw error
  }
}

/** The files below a folder, as paths with `/`, without what is being written. Folders may go meanwhile. */
export async function* filesBelow(root: string, folder = ''): AsyncGenerator<string> {
  for (const entry of (await readFolder(join(root, folder))).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.endsWith('.unfinished')) continue
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(root, path)
    else if (entry.isFile()) yield path
  }
}

async function readFolder(path: string) {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Syncs a folder, so that the names of its files survive a power cut; with `deep` also those below it. */
export async function syncFolder(folder: string, { deep = false } = {}): Promise<void> {
  if (deep) {
    for (const entry of await readFolder(folder))
      if (entry.isDirectory()) await syncFolder(join(folder, entry.name), { deep })
  }
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
