import { mkdirSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { unavailable } from '#core/errors'
import type { Lake, LakeObject } from '#core/ports'

/** Seconds after which a caller may try again when a write fails, for example on a full disk. */
const RETRY_AFTER = 30
/**
 * Suffix of a file that is being written. It is never listed or read, and the next start deletes it after a
 * crash.
 */
const UNFINISHED = '.unfinished'

/**
 * The lake in a folder. An object's key is its path below the folder. An object is written under a temporary
 * name, synced and renamed, so a key holds a whole object or none, even after a power cut.
 */
export function createFolderLake(folder: string): Lake {
  mkdirSync(folder, { recursive: true })
  let putCount = 0

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    const path = pathOf(folder, key)
    const unfinished = `${path}.${process.pid}-${putCount++}${UNFINISHED}`
    try {
      const firstNewFolder = await mkdir(dirname(path), { recursive: true })
      const file = await open(unfinished, 'w')
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(unfinished, path)
      await syncFolders(dirname(firstNewFolder ?? path), dirname(path))
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      // Messages of the system have paths, which are the operator's.
      throw unavailable('The lake cannot be written now. Try again later.', RETRY_AFTER, error)
    }
  }

  async function get(key: string, last?: number): Promise<Uint8Array | null> {
    const path = pathOf(folder, key)
    return orNull(last === undefined ? readFile(path) : readEnd(path, last))
  }

  async function list(prefix: string): Promise<LakeObject[]> {
    // A prefix may end within a name, so its last part cannot be a folder to list.
    const start = join(folder, prefix.slice(0, prefix.lastIndexOf('/') + 1))
    const paths = await filesBelow(start)
    const objects = await Promise.all(
      paths
        .filter(path => !path.endsWith(UNFINISHED))
        .map(path => ({ path, key: relative(folder, path).split(sep).join('/') }))
        .filter(({ key }) => key.startsWith(prefix))
        .map(async ({ path, key }) => {
          const stats = await orNull(stat(path))
          return stats && { key, size: stats.size }
        }),
    )
    return objects.filter(object => object !== null).toSorted((a, b) => (a.key < b.key ? -1 : 1))
  }

  async function remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await rm(pathOf(folder, key), { force: true })
    // Without this, every read would list the empty partition.
    for (const parent of new Set(keys.map(key => dirname(pathOf(folder, key)))))
      await removeEmptyFolders(parent, folder)
  }

  return { put, get, list, delete: remove }
}

/**
 * Deletes the files that a crashed process did not finish. Call it only in the process that holds the
 * folder's lock.
 */
export async function deleteUnfinished(folder: string): Promise<void> {
  for (const path of await filesBelow(folder)) {
    if (path.endsWith(UNFINISHED)) await rm(path, { force: true })
  }
}

/**
 * Lists all files below the folder, one folder at a time. readdir's `recursive` option is not used: it fails
 * when a folder is deleted during the walk, and a listing that is wrongly empty could lose events.
 */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await orNull(readdir(folder, { withFileTypes: true }))) ?? []
  const paths = await Promise.all(
    entries.map(entry => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    }),
  )
  return paths.flat()
}

/** The last bytes of a file: at most so many. */
async function readEnd(path: string, last: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.allocUnsafe(Math.min(last, size))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length)
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function pathOf(folder: string, key: string): string {
  if (key === '' || key.startsWith('/') || key.split('/').includes('..'))
    throw new Error(`Not a key of the lake: ${key}`)
  return join(folder, ...key.split('/'))
}

/**
 * Syncs the folders from `from` up to `top`, so that the names of a new file and of its new folders survive a
 * power cut.
 */
async function syncFolders(top: string, from: string): Promise<void> {
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

async function removeEmptyFolders(path: string, root: string): Promise<void> {
  if (path === root || !path.startsWith(root)) return
  try {
    await rmdir(path)
  } catch {
    return // The folder is not empty, or it does not exist.
  }
  await removeEmptyFolders(dirname(path), root)
}

/** Resolves to null when the file or folder does not exist. */
async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
