import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isOwnKey } from '#core/lake/model/keys'
import { type TableName, tables } from '#schemas/columns'

/** The clock of a file system may be behind the system's clock by one tick. */
const CLOCK_TICK_MS = 10

/** Returns the keys of all Parquet files of a table, sorted. */
export async function listFiles(lakeDir: string, table: TableName): Promise<string[]> {
  const folder = join(lakeDir, tables[table].prefix)
  try {
    const names = await readdir(folder, { recursive: true })
    return names
      .map(name => join(tables[table].prefix, name))
      .filter(key => key.endsWith('.parquet') && isOwnKey(key))
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Returns the first of the files that does not exist, or null. */
export async function findMissing(files: readonly string[]): Promise<string | null> {
  const times = await changeTimes(files)
  return files.find((_, i) => times[i] === null) ?? null
}

/**
 * Returns whether any of the files does not exist any more, or was replaced at or after the time `since`
 * (Unix ms).
 */
export async function changedSince(files: readonly string[], since: number): Promise<boolean> {
  const times = await changeTimes(files)
  return times.some(time => time === null || time >= since - CLOCK_TICK_MS)
}

/** When each file was put in place, Unix ms; null for a file that does not exist. */
async function changeTimes(files: readonly string[]): Promise<(number | null)[]> {
  return Promise.all(
    files.map(async file => {
      try {
        // ctime is the time of the rename that put the file in place. mtime is the earlier time of the write.
        return (await stat(file)).ctimeMs
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    }),
  )
}
