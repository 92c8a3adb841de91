import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scan } from '#core/ports'
import { type Partition, type TableName, tables } from '#schemas/columns'

const CLOCK_TICK_MS = 10

/** What folders held when they were first looked at, by path. */
export type Listing = Map<string, Promise<string[]>>

/**
 * Absolute paths of the Parquet files of a table that the scans read, or of all when there are none; sorted. Folders
 * that `listing` knows are not looked at again.
 */
export async function lakeFiles(
  lakeDir: string,
  table: TableName,
  scans: readonly Scan[],
  listing: Listing = new Map(),
): Promise<string[]> {
  const { prefix, partitions } = tables[table]
  const wanted: readonly Scan[] = scans.length === 0 ? [{ table }] : scans
  const found = await Promise.all(
    wanted.map(async scan => {
      let folders = [join(lakeDir, prefix)]
      for (const partition of partitions) {
        const inside = await Promise.all(
          folders.map(async folder =>
            (await partitionFolders(folder, partition, scan, listing)).map(name => join(folder, name)),
          ),
        )
        folders = inside.flat()
      }
      const files = await Promise.all(
        folders.map(async folder =>
          (await entries(folder, listing))
            .filter(name => name.endsWith('.parquet'))
            .map(name => join(folder, name)),
        ),
      )
      return files.flat()
    }),
  )
  return [...new Set(found.flat())].sort()
}

/** Whether any of the files is gone, or was put in the place of another, at a time (Unix ms) or after it. */
export async function changedSince(files: readonly string[], since: number): Promise<boolean> {
  const changed = await Promise.all(
    files.map(async file => {
      try {
        // That of the rename: the bytes are older. The clock of a file system is behind by up to a tick.
        return (await stat(file)).ctimeMs >= since - CLOCK_TICK_MS
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
        throw error
      }
    }),
  )
  return changed.includes(true)
}

/** Names of the folders `partition=value` in `folder` whose value the scan reads. */
async function partitionFolders(
  folder: string,
  { name }: Partition,
  scan: Scan,
  listing: Listing,
): Promise<string[]> {
  // Named without looking: a bucket is read in hundreds of epochs, and a folder that is not there lists as empty.
  if (name === 'bucket' && scan.bucket !== undefined) return [`bucket=${scan.bucket}`]
  const all = (await entries(folder, listing)).filter(entry => entry.startsWith(`${name}=`))
  const valueIn = (entry: string): string => entry.slice(name.length + 1)
  if (name === 'epoch' && scan.epoch !== undefined) {
    const [from, to] = scan.epoch
    return all.filter(entry => Number(valueIn(entry)) >= from && Number(valueIn(entry)) <= to)
  }
  if (name === 'date' && scan.date !== undefined) {
    const [from, to] = scan.date
    return all.filter(entry => valueIn(entry) >= from && valueIn(entry) <= to)
  }
  return all
}

function entries(folder: string, listing: Listing): Promise<string[]> {
  const known = listing.get(folder) ?? readFolder(folder)
  listing.set(folder, known)
  return known
}

async function readFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
