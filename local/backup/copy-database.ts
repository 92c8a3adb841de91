import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'

/** All pages in one step: between two steps a write of the service would make SQLite begin again. */
const PAGES = 2 ** 30
/** How long a copy waits for a write of the service, ms. */
const BUSY_MS = 10_000

/** Copies a database of SQLite that others may write meanwhile. Returns false when there is none. */
export async function copyDatabase(from: string, to: string): Promise<boolean> {
  if (!existsSync(from)) return false
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  const source = new DatabaseSync(from, { timeout: BUSY_MS })
  try {
    await backup(source, to, { rate: PAGES })
  } finally {
    source.close()
  }
  return true
}

/**
 * Adds the records of an earlier copy of a log to a later one, which lacks those that the service has deleted
 * since, and deletes the earlier copy. What both have stays as the later one has it. Returns the highest
 * sequence; null without a record.
 */
export function joinLogs(earlier: string | null, later: string): string | null {
  const database = new DatabaseSync(later)
  try {
    // Without a write-ahead log the copy is one file.
    database.exec('PRAGMA journal_mode = DELETE')
    if (earlier !== null) {
      database.prepare('ATTACH ? AS earlier').run(earlier)
      database.exec('INSERT OR IGNORE INTO records SELECT * FROM earlier.records')
      database.exec('DETACH earlier')
      rmSync(earlier)
    }
    const row = database.prepare('SELECT CAST(max(sequence) AS text) AS highest FROM records').get()
    return (row?.highest ?? null) as string | null
  } finally {
    database.close()
  }
}
