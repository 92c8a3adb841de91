import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scan } from '#core/ports'
import { type Partition, type TableName, tables } from '#schemas/columns'

/** The clock of a file system may be behind the system's clock by one tick. */
const CLOCK_TICK_MS = 10

/** Names of the entries of each folder that was read, by the folder's path. */
export type Listing = Map<string, Promise<string[]>>

/**
 * Returns the absolute paths of a table's Parquet files that the scans read, sorted. Without scans it returns all files
 * of the table. A folder that is in `listing` is not read again; a folder that is read is added to it.
 */
export async function lakeFiles(
  lakeDir: string,
  table: TableName,
  scans: readonly Scan[],
  listing: Listing = new Map(),
): Promise<string[]> {
  const { prefix, partitions } = tables[table]
  const allScans: readonly Scan[] = scans.length === 0 ? [{ table }] : scans
  const paths = await Promise.all(
    allScans.map(async scan => {
      let folders = [join(lakeDir, prefix)]
      for (const partition of partitions) {
        const subfolders = await Promise.all(
          folders.map(async folder =>
            (await partitionFolders(folder, partition, scan, listing)).map(name => join(folder, name)),
          ),
        )
        folders = subfolders.flat()
      }
      const files = await Promise.all(
        folders.map(async folder =>
          (await listFolder(folder, listing))
            .filter(name => name.endsWith('.parquet'))
            .map(name => join(folder, name)),
        ),
      )
      return files.flat()
    }),
  )
  return [...new Set(paths.flat())].sort()
}

/** Returns whether any of the files does not exist any more, or was replaced at or after the time `since` (Unix ms). */
export async function changedSince(files: readonly string[], since: number): Promise<boolean> {
  const changes = await Promise.all(
    files.map(async file => {
      try {
        // ctime is the time of the rename that put the file in place. mtime is the earlier time of the write.
        return (await stat(file)).ctimeMs >= since - CLOCK_TICK_MS
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
        throw error
      }
    }),
  )
  return changes.includes(true)
}

/** Returns the names of the folders `partition=value` in `folder` whose value the scan reads. */
async function partitionFolders(
  folder: string,
  { name }: Partition,
  scan: Scan,
  listing: Listing,
): Promise<string[]> {
  // `folder` is not listed: a scan reads one bucket in hundreds of epochs, and a missing folder counts as empty.
  if (name === 'bucket' && scan.bucket !== undefined) return [`bucket=${scan.bucket}`]
  const names = (await listFolder(folder, listing)).filter(entry => entry.startsWith(`${name}=`))
  const valueIn = (entry: string): string => entry.slice(name.length + 1)
  if (name === 'epoch' && scan.epoch !== undefined) {
    const [from, to] = scan.epoch
    return names.filter(entry => Number(valueIn(entry)) >= from && Number(valueIn(entry)) <= to)
  }
  if (name === 'date' && scan.date !== undefined) {
    const [from, to] = scan.date
    return names.filter(entry => valueIn(entry) >= from && valueIn(entry) <= to)
  }
  return names
}

function listFolder(folder: string, listing: Listing): Promise<string[]> {
  const entries = listing.get(folder) ?? readFolder(folder)
  listing.set(folder, entries)
  return entries
}

async function readFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
