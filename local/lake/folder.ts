import { mkdirSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { unavailable } from '#core/errors'
import type { Lake, LakeObject } from '#core/ports'

/** Seconds after which a caller may try again when the disk is full. */
const RETRY_AFTER = 30
/** Suffix of a file that is being written; nobody lists or reads it, and a start deletes what a dead process left. */
const UNFINISHED = '.unfinished'

/**
 * The lake in a folder: an object is written under a temporary name, synced, and renamed, so that a key holds a whole
 * object or none even after a power cut. Object keys are the paths below the folder.
 */
export function createFolderLake(folder: string): Lake {
  mkdirSync(folder, { recursive: true })
  let written = 0

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    const path = pathOf(folder, key)
    const unfinished = `${path}.${process.pid}-${written++}${UNFINISHED}`
    try {
      const made = await mkdir(dirname(path), { recursive: true })
      const file = await open(unfinished, 'w')
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(unfinished, path)
      await syncUpTo(dirname(made ?? path), dirname(path))
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      throw unavailable(`the lake cannot be written: ${(error as Error).message}`, RETRY_AFTER, error)
    }
  }

  async function get(key: string): Promise<Uint8Array | null> {
    return orNull(readFile(pathOf(folder, key)))
  }

  async function list(prefix: string): Promise<LakeObject[]> {
    // The folder part of the prefix is walked; the rest filters, as a prefix may end within a name.
    const start = join(folder, prefix.slice(0, prefix.lastIndexOf('/') + 1))
    const paths = await filesBelow(start)
    const objects = await Promise.all(
      paths
        .filter(path => !path.endsWith(UNFINISHED))
        .map(path => ({ path, key: relative(folder, path).split(sep).join('/') }))
        .filter(({ key }) => key.startsWith(prefix))
        .map(async ({ path, key }) => {
          const found = await orNull(stat(path))
          return found && { key, size: found.size }
        }),
    )
    return objects.filter(object => object !== null).toSorted((a, b) => (a.key < b.key ? -1 : 1))
  }

  async function remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await rm(pathOf(folder, key), { force: true })
    // An empty partition would be listed at every read for ever.
    for (const parent of new Set(keys.map(key => dirname(pathOf(folder, key)))))
      await removeEmpty(parent, folder)
  }

  return { put, get, list, delete: remove }
}

/**
 * Renames the folder `visits`, the name of session rollups until 2026-11-22, to `sessions`. Only the folder's one owner
 * may call it, before anything reads.
 */
export async function renameLegacyFolders(folder: string): Promise<void> {
  await orNull(rename(join(folder, 'visits'), join(folder, 'sessions')))
}

/** Deletes files that a process began to write before it died. Only the folder's one owner may call it. */
export async function deleteUnfinished(folder: string): Promise<void> {
  for (const path of await filesBelow(folder)) {
    if (path.endsWith(UNFINISHED)) await rm(path, { force: true })
  }
}

/**
 * All files below the folder. Walked folder by folder: readdir's own `recursive` fails as a whole when one folder is
 * deleted on its way, and a listing that is empty by mistake would lose what it does not name.
 */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await orNull(readdir(folder, { withFileTypes: true }))) ?? []
  const found = await Promise.all(
    entries.map(entry => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    }),
  )
  return found.flat()
}

function pathOf(folder: string, key: string): string {
  if (key === '' || key.startsWith('/') || key.split('/').includes('..'))
    throw new Error(`not a key of the lake: ${key}`)
  return join(folder, ...key.split('/'))
}

/** Makes the names below `top` durable: the renamed file's, and those of the folders that were made for it. */
async function syncUpTo(top: string, from: string): Promise<void> {
  for (let path = from; path.length > top.length; path = dirname(path)) await syncFolder(path)
  await syncFolder(top)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function removeEmpty(path: string, root: string): Promise<void> {
  if (path === root || !path.startsWith(root)) return
  try {
    await rmdir(path)
  } catch {
    return // not empty, or gone
  }
  await removeEmpty(dirname(path), root)
}

/** Null where there is no such file or folder. */
async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
