import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { openHighFile } from './high-file.ts'
import { PAGE_BYTES, type SalvagedRecord, salvageRecords } from './salvage.ts'
import { findShortfall, type Shortfall } from './shortfall.ts'
import { findStrayCommits, hasAcknowledged, newCommits } from './stray-commits.ts'

/** Path of the log's file. SQLite keeps two more files beside it, with the endings `-wal` and `-shm`. */
export function logPath(dir: string): string {
  return join(dir, 'log.db')
}

/**
 * Path of the file that the reader writes when it finds a damaged page. The next start then checks every
 * page, also of a log that is too big for that check at each start.
 */
export function suspectPath(dir: string): string {
  return join(dir, 'log.suspect')
}

/** Each start checks every page of a log up to this size. The check takes up to 0.8 s. */
const CHECKED_BYTES = 256 * 1024 * 1024
/**
 * After damage this many sequences above the highest salvaged one are not used, because lost records may have
 * had them.
 */
const DAMAGE_GAP = 1_000_000

export type LogLimits = {
  /** Largest size of the file, in pages of 4 kB. Default: no limit. */
  maxPages?: number
  /**
   * Longest time that a commit waits for another connection, for example while the reader deletes. Default:
   * 10 s.
   */
  busyMs?: number
}

/** The damage that a start has found and repaired. */
export type Damage = {
  /** The message of SQLite or of the check. */
  reason: string
  /** Path to which the damaged file was moved; null when only a part of the write-ahead log was damaged. */
  setAside: string | null
  /** Number of records that were salvaged. */
  salvaged: number
  /** Highest sequence that was salvaged. */
  highest: number
}

export type LogFile = {
  database: DatabaseSync
  /** The highest sequence in use. */
  highest: number
  damage: Damage | null
  shortfall: Shortfall | null
}

/**
 * Opens the log for its one writer. Creates a missing log. Salvages a damaged log: every record that can
 * still be read moves to a new log, and the old files are renamed to `log.damaged-<Unix ms>`. New records get
 * sequences above `minSequence`.
 */
export function openLogFile(dir: string, minSequence: number, now: number, limits: LogLimits = {}): LogFile {
  mkdirSync(dir, { recursive: true })
  const path = logPath(dir)
  if (existsSync(recoveredPath(path))) putInPlace(path, now)
  // SQLite deletes the write-ahead log when it opens the log and closes it again.
  const strayCommits = findStrayCommits(path)
  const reason = findDamage(path, existsSync(suspectPath(dir)))
  const fileDamage = reason === null ? null : salvage(path, reason, now)
  rmSync(suspectPath(dir), { force: true })
  const database = openForWriting(path, limits.busyMs)
  if (limits.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${limits.maxPages}`)
  const acknowledged = openHighFile(dir).read() ?? 0
  const damage = fileDamage ?? addStrayCommits(database, strayCommits, acknowledged)
  const shortfall = findShortfall(database, {
    end: damage?.highest ?? highestSequence(database),
    isSalvaged: damage !== null,
    taken: minSequence,
    acknowledged,
  })
  const highest = Math.max(highestSequence(database), minSequence, acknowledged)
  return { database, highest, damage, shortfall }
}

/**
 * Opens the log again for a new writer of the same process. It does not repair the log: a repair makes a new
 * file, and the other connections of the process would still read the old one. Throws when the log cannot be
 * opened.
 */
export function reopenLogFile(dir: string, minSequence: number, limits: LogLimits = {}): LogFile {
  const path = logPath(dir)
  if (!existsSync(path)) throw new Error('The file of the event log is gone. Start the service again.')
  const database = openForWriting(path, limits.busyMs)
  if (limits.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${limits.maxPages}`)
  const acknowledged = openHighFile(dir).read() ?? 0
  const highest = Math.max(highestSequence(database), minSequence, acknowledged)
  return { database, highest, damage: null, shortfall: null }
}

/**
 * Adds the records that SQLite has dropped after a damaged part of the write-ahead log, if they were
 * acknowledged.
 */
function addStrayCommits(
  database: DatabaseSync,
  strayCommits: readonly SalvagedRecord[][],
  acknowledged: number,
): Damage | null {
  const commits = newCommits(strayCommits, highestSequence(database))
  if (!hasAcknowledged(commits, acknowledged)) return null
  database.exec('BEGIN')
  const { inserted: salvaged, highest } = insertRecords(database, commits.flat())
  database.exec('COMMIT')
  return { reason: 'A part of the write-ahead log is damaged.', setAside: null, salvaged, highest }
}

/**
 * Sets the sequence above which new records start, also when no record follows before the next start. A log
 * that ends there is not reported as too short again.
 */
export function raiseFloor(database: DatabaseSync, sequence: number): void {
  database.prepare('INSERT INTO floor (sequence) VALUES (?)').run(sequence)
}

/** Writes a row. By the checksum, salvage can tell a whole record from a damaged one. */
export const INSERT_RECORD = 'INSERT INTO records (sequence, appended_at, checksum, data) VALUES (?, ?, ?, ?)'

export function checksumOf(sequence: number, data: Uint8Array): number {
  return crc32(data, sequence % 2 ** 32)
}

/**
 * With WAL and FULL a commit returns when the write-ahead log is synced. SQLite moves pages from the
 * write-ahead log to the file on the writer's thread, and limits the size of the write-ahead log after a
 * peak.
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

/** Returns the highest sequence of a record, or the floor that salvage has set when that is higher. */
function highestSequence(database: DatabaseSync): number {
  const row = database
    .prepare(`
      SELECT max(sequence) AS highest FROM (
        SELECT max(sequence) AS sequence FROM records UNION ALL SELECT max(sequence) FROM floor
      )`)
    .get()
  return Number(row?.highest ?? 0)
}

/** Returns why the log is damaged, or null when it is whole or does not exist. */
function findDamage(path: string, isSuspect: boolean): string | null {
  const size = sizeOf(path)
  const walSize = sizeOf(`${path}-wal`)
  // SQLite treats an empty file as a new database and deletes the write-ahead log beside it, with all its
  // records.
  if (size === 0) return walSize > 0 ? 'The file is empty, but it has a write-ahead log.' : null
  try {
    const database = openForWriting(path)
    try {
      return findDamageInside(database, path, isSuspect)
    } finally {
      database.close()
    }
  } catch (error) {
    if (isDamage(error)) return (error as Error).message
    throw error
  }
}

function findDamageInside(database: DatabaseSync, path: string, isSuspect: boolean): string | null {
  // Moves all pages into the file, which then has the size that its header says, unless the disk is full.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count)
  const size = sizeOf(path)
  if (size < pages * PAGE_BYTES)
    return `The file has ${size} bytes, but its header says ${pages * PAGE_BYTES}.`
  highestSequence(database)
  if (size > CHECKED_BYTES && !isSuspect) return null
  const verdict = database.prepare('PRAGMA quick_check(1)').get()?.quick_check
  return verdict === 'ok' ? null : String(verdict)
}

/**
 * Returns whether SQLite reports SQLITE_CORRUPT, SQLITE_NOTADB, or SQLITE_ERROR, its code for a missing table
 * or column.
 */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  return code !== undefined && [1, 11, 26].includes(code & 0xff)
}

function salvage(path: string, reason: string, now: number): Damage {
  const newPath = `${path}.salvage`
  for (const ending of FILE_ENDINGS) rmSync(newPath + ending, { force: true })
  const database = openForWriting(newPath)
  database.exec('BEGIN')
  const { inserted: salvaged, highest } = insertRecords(database, salvageRecords(path))
  raiseFloor(database, highest + DAMAGE_GAP)
  database.exec('COMMIT')
  database.close()
  renameSync(newPath, recoveredPath(path))
  return { reason, setAside: putInPlace(path, now), salvaged, highest }
}

/** Adds salvaged records that the log does not have yet. */
function insertRecords(database: DatabaseSync, records: Iterable<SalvagedRecord>) {
  const insert = database.prepare(INSERT_RECORD.replace('INSERT', 'INSERT OR IGNORE'))
  let inserted = 0
  let highest = 0
  for (const { sequence, appendedAt, checksum, data } of records) {
    inserted += Number(insert.run(sequence, appendedAt, checksum, data).changes)
    highest = Math.max(highest, sequence)
  }
  return { inserted, highest }
}

/**
 * Path of a salvaged log that is complete but does not yet replace the old one. A start that finds it
 * continues there.
 */
function recoveredPath(path: string): string {
  return `${path}.recovered`
}

function putInPlace(path: string, now: number): string {
  const setAside = join(path, '..', `log.damaged-${now}`)
  for (const ending of FILE_ENDINGS) {
    if (existsSync(path + ending)) renameSync(path + ending, setAside + ending)
  }
  renameSync(recoveredPath(path), path)
  return setAside
}

const FILE_ENDINGS = ['-wal', '-shm', '']

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
