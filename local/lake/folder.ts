import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forEachConcurrent } from '#core/async/concurrency'
import { unavailable } from '#core/errors'
import { type Lake, type LakeObject, type LakePage, LIST_PAGE } from '#core/ports'

/** Seconds after which a caller may try again when a write fails, for example on a full disk. */
const RETRY_AFTER = 30
/**
 * The folder of files that are being written. Listings leave it out. A crash leaves unfinished files here and
 * nowhere else, and the next start deletes them. So a start need not search the folders of finished objects.
 */
const UNFINISHED = '.unfinished'
/** Files of a listing whose sizes are read at the same time: as many as keep the disk busy. */
const SIZES_AT_ONCE = 32

/**
 * The lake in a folder. An object's key is its path below the folder. An object is written under a temporary
 * name, synced and renamed, so a key holds a whole object or none, even after a power cut.
 */
export function createFolderLake(folder: string): Lake {
  mkdirSync(join(folder, UNFINISHED), { recursive: true })

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    const path = pathOf(folder, key)
    const unfinished = join(folder, UNFINISHED, randomBytes(12).toString('hex'))
    try {
      const firstNewFolder = await mkdir(dirname(path), { recursive: true })
      await mkdir(dirname(unfinished), { recursive: true })
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
    return withSizes(await keysOf({ prefix, after: null, limit: Number.POSITIVE_INFINITY }))
  }

  async function listPage(prefix: string, after: string | null): Promise<LakePage> {
    const keys = await keysOf({ prefix, after, limit: LIST_PAGE })
    // A file may be deleted before its size is read, so the page may have fewer objects.
    const next = keys.length < LIST_PAGE ? null : (keys.at(-1) ?? null)
    return { objects: await withSizes(keys), next }
  }

  /** The first keys of a listing, in their order. */
  async function keysOf(listing: Listing): Promise<string[]> {
    const keys: string[] = []
    // A prefix may end within a name, so its last part cannot be a folder to list.
    const start = listing.prefix.slice(0, listing.prefix.lastIndexOf('/') + 1)
    await addKeys(folder, start, listing, keys)
    return keys
  }

  async function withSizes(keys: readonly string[]): Promise<LakeObject[]> {
    const objects: LakeObject[] = []
    await forEachConcurrent(keys, SIZES_AT_ONCE, async key => {
      const stats = await orNull(stat(join(folder, key)))
      if (stats !== null) objects.push({ key, size: stats.size })
    })
    return objects.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  }

  async function remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await rm(pathOf(folder, key), { force: true })
    // Without this, every read would list the empty partition.
    for (const parent of new Set(keys.map(key => dirname(pathOf(folder, key)))))
      await removeEmptyFolders(parent, folder)
  }

  return { put, get, list, listPage, delete: remove }
}

/**
 * Deletes the files that a crashed process did not finish. Call it only in the process that holds the
 * folder's lock, before its lake is created. A folder of a version that wrote such files beside the objects
 * is walked once.
 */
export async function deleteUnfinished(folder: string): Promise<void> {
  const unfinished = join(folder, UNFINISHED)
  const isOlder = (await orNull(stat(unfinished))) === null
  const paths = isOlder ? await filesBelow(folder) : []
  for (const path of paths) if (path.endsWith(UNFINISHED)) await rm(path, { force: true })
  await rm(unfinished, { recursive: true, force: true })
}

/**
 * Also of a version that wrote `<key>.<process>-<number>.unfinished`: a copy may have brought such a file.
 */
function isUnfinished(key: string): boolean {
  return key.startsWith(`${UNFINISHED}/`) || key.endsWith(UNFINISHED)
}

/**
 * Deletes the folders of days before this one (`2026-11-29`) below a prefix whose next part is a day: one
 * folder of a day after the other, so neither memory nor the caller's thread knows how many objects there
 * are.
 */
export async function deleteDays(folder: string, prefix: string, before: string): Promise<void> {
  const days = join(folder, prefix)
  for (const day of await namesIn(days)) {
    if (!DAY.test(day) || day >= before) continue
    for (const name of await namesIn(join(days, day)))
      await rm(join(days, day, name), { recursive: true, force: true })
    await rm(join(days, day), { recursive: true, force: true })
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/

async function namesIn(folder: string): Promise<string[]> {
  return (await orNull(readdir(folder))) ?? []
}

/** `after`: only keys after this one; null: all. `limit`: so many keys at most. */
type Listing = { prefix: string; after: string | null; limit: number }

/**
 * Adds the keys below a part of the folder (`hot/` or empty) in ascending order, one folder after the other.
 * Folders whose keys all come before `after` are not opened.
 */
async function addKeys(root: string, part: string, listing: Listing, keys: string[]): Promise<void> {
  const { prefix, after, limit } = listing
  const entries = (await orNull(readdir(join(root, part), { withFileTypes: true }))) ?? []
  const names = entries.map(entry => `${part}${entry.name}${entry.isDirectory() ? '/' : ''}`)
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    if (keys.length >= limit) return
    const isFolder = name.endsWith('/')
    if (after !== null && name <= after && !(isFolder && after.startsWith(name))) continue
    if (isUnfinished(name) || !(name.startsWith(prefix) || (isFolder && prefix.startsWith(name)))) continue
    if (isFolder) await addKeys(root, name, listing, keys)
    else keys.push(name)
  }
}

/**
 * Lists all files below the folder, one folder after the other. readdir's `recursive` option is not used: it
 * fails when a folder is deleted during the walk, and a listing that is wrongly empty could lose events.
 */
async function filesBelow(folder: string): Promise<string[]> {
  const paths: string[] = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of (await orNull(readdir(next, { withFileTypes: true }))) ?? []) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else paths.push(path)
    }
  }
  return paths
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
