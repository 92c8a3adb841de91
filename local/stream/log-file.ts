import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { PAGE_BYTES, salvageRecords } from './salvage.ts'

/** The log's file in the data folder; SQLite adds `-wal` and `-shm` beside it. */
export function logPath(dir: string): string {
  return join(dir, 'log.db')
}

/**
 * The reader leaves this file when it meets a damaged page, so that the next start looks at every page of a log that
 * is too big to be looked at whole each time.
 */
export function suspectPath(dir: string): string {
  return join(dir, 'log.suspect')
}

/** A log up to this size is checked page by page at each start: it takes up to 0.8 s. */
const CHECKED_BYTES = 256 * 1024 * 1024
/** Left free above the highest sequence known after damage: those above it may have been read and then lost. */
const DAMAGE_GAP = 1_000_000

/** How the log may use its machine. */
export type LogLimits = {
  /** Pages of 4 kB that the file may grow to; absent: as far as the disk goes. */
  maxPages?: number
  /** How long a commit waits for another connection, such as the reader's when it prunes. Default 10 s. */
  busyMs?: number
}

/** What was found at the start. */
export type Damage = {
  /** What SQLite or the check said. */
  reason: string
  /** Where the old file lies now. */
  setAside: string
  salvaged: number
  highest: number
}

export type LogFile = {
  database: DatabaseSync /** The highest sequence in use. */
  highest: number
  damage: Damage | null
}

/**
 * Opens the log for its one writer, makes it when it is not there, and salvages it when it is damaged: every record
 * that can still be read goes to a new log, and the old files are set aside as `log.damaged-<Unix ms>`.
 * `minSequence`: sequences up to here were handed out, as others remember.
 */
export function openLogFile(dir: string, minSequence: number, now: number, limits: LogLimits = {}): LogFile {
  mkdirSync(dir, { recursive: true })
  const path = logPath(dir)
  if (existsSync(recoveredPath(path))) putInPlace(path, now)
  const reason = damageOf(path, existsSync(suspectPath(dir)))
  const damage = reason === null ? null : salvage(path, reason, now)
  rmSync(suspectPath(dir), { force: true })
  const database = openForWriting(path, limits.busyMs)
  if (limits.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${limits.maxPages}`)
  const stored = highestOf(database)
  const highest = Math.max(stored, minSequence)
  return { database, highest, damage }
}

/** A row as it is written; the checksum lets salvage tell a record from the remains of one. */
export const INSERT_RECORD = 'INSERT INTO records (sequence, appended_at, checksum, data) VALUES (?, ?, ?, ?)'

export function checksumOf(sequence: number, data: Uint8Array): number {
  return crc32(data, sequence % 2 ** 32)
}

/**
 * WAL and FULL: a commit returns when the write-ahead log is synced. The writer checkpoints by itself, on its own
 * thread; the size of the write-ahead file is cut back after a peak.
 */
function openForWriting(path: string, busyMs = 10_000): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyMs })
  database.exec(`
    PRAGMA page_size = ${PAGE_BYTES};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;
    CREATE TABLE IF NOT EXISTS records (
      sequence INTEGER PRIMARY KEY,
      appended_at INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      data BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS floor (sequence INTEGER NOT NULL) STRICT;
  `)
  return database
}

/** The highest sequence of a record, or what salvage has raised it to. */
function highestOf(database: DatabaseSync): number {
  const row = database
    .prepare(`
      SELECT max(sequence) AS highest FROM (
        SELECT max(sequence) AS sequence FROM records UNION ALL SELECT max(sequence) FROM floor
      )`)
    .get()
  return Number(row?.highest ?? 0)
}

/** Why the log cannot be used as it is; null when it can, or is not there. */
function damageOf(path: string, suspect: boolean): string | null {
  const size = sizeOf(path)
  const walSize = sizeOf(`${path}-wal`)
  // SQLite takes an empty file for a new database and deletes the write-ahead log beside it, records and all.
  if (size === 0) return walSize > 0 ? 'the file is empty, but it has a write-ahead log' : null
  try {
    const database = openForWriting(path)
    try {
      return damageInside(database, path, suspect)
    } finally {
      database.close()
    }
  } catch (error) {
    if (isDamage(error)) return (error as Error).message
    throw error
  }
}

function damageInside(database: DatabaseSync, path: string, suspect: boolean): string | null {
  // Brings the file to the size that its header says, if no disk is full.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count)
  const size = sizeOf(path)
  if (size < pages * PAGE_BYTES) return `the file has ${size} bytes of ${pages * PAGE_BYTES}`
  highestOf(database)
  if (size > CHECKED_BYTES && !suspect) return null
  const verdict = database.prepare('PRAGMA quick_check(1)').get()?.quick_check
  return verdict === 'ok' ? null : String(verdict)
}

/** SQLITE_CORRUPT and SQLITE_NOTADB with their extended codes; a missing table or column is damage as well. */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  return code !== undefined && [1, 11, 26].includes(code & 0xff)
}

function salvage(path: string, reason: string, now: number): Damage {
  const fresh = `${path}.salvage`
  for (const end of FILE_ENDS) rmSync(fresh + end, { force: true })
  const database = openForWriting(fresh)
  const insert = database.prepare(INSERT_RECORD.replace('INSERT', 'INSERT OR IGNORE'))
  let salvaged = 0
  let highest = 0
  database.exec('BEGIN')
  for (const { sequence, appendedAt, checksum, data } of salvageRecords(path)) {
    salvaged += Number(insert.run(sequence, appendedAt, checksum, data).changes)
    highest = Math.max(highest, sequence)
  }
  database.prepare('INSERT INTO floor (sequence) VALUES (?)').run(highest + DAMAGE_GAP)
  database.exec('COMMIT')
  database.close()
  renameSync(fresh, recoveredPath(path))
  return { reason, setAside: putInPlace(path, now), salvaged, highest }
}

/** The new log, complete, before it takes the old one's place; a start that finds it goes on from there. */
function recoveredPath(path: string): string {
  return `${path}.recovered`
}

function putInPlace(path: string, now: number): string {
  const setAside = join(path, '..', `log.damaged-${now}`)
  for (const end of FILE_ENDS) {
    if (existsSync(path + end)) renameSync(path + end, setAside + end)
  }
  renameSync(recoveredPath(path), path)
  return setAside
}

const FILE_ENDS = ['-wal', '-shm', '']

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
