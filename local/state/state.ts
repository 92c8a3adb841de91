import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StateTable } from '#core/state/state-table'
import { FolderError } from '#local/lock'
import { isDamage } from '#local/stream/log-file'
import { createClient } from './client.ts'
import { type ItemFile, openItemFile, suspectPath } from './item-file.ts'
import { ITEM_TABLES } from './item-tables.ts'
import { createRequests } from './requests.ts'
import type { ItemRow } from './values.ts'

/** The name of the table. It is in no file: a file has one table. */
const TABLE = 'footfall'
/**
 * The main thread moves pages from the log of SQLite to the file only when the pipeline thread has not done
 * so for 64 MB: that waits for the disk.
 */
const MAIN_CHECKPOINT_PAGES = 16_000

/** Each start checks every page of a file up to this size: 0.3 s for 100 MB. */
const CHECKED_BYTES = 256 * 1024 * 1024

export type StateConnection = StateTable & Pick<ItemFile, 'deleteExpired' | 'scrub' | 'close'>

export type OpenState = StateConnection & {
  /** Path of the file, for connectState in another thread. */
  path: string
  /** Whether the file was damaged and was repaired. Items that could not be read are lost then. */
  isRepaired: boolean
  /** Whether it has no items: it is new, or was lost. */
  isEmpty: boolean
  /** Gives a file of an older version the layout of this one, once. Before that nothing is written. */
  takeOver(): Promise<void>
}

/**
 * Opens the state in the file `path`, and creates it if needed. Repairs a damaged file: so only one thread
 * may call it, before others connect. After SIGKILL, SQLite reads its log when it opens. Throws FolderError
 * when the file cannot be used.
 */
export async function openState(
  path: string,
  { checkedBytes = CHECKED_BYTES }: { checkedBytes?: number } = {},
): Promise<OpenState> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const isRepaired = isDamaged(path, checkedBytes)
    if (isRepaired) await salvage(path)
    rmSync(suspectPath(path), { force: true })
    const file = openItemFile(path, { checkpointPages: MAIN_CHECKPOINT_PAGES })
    const { takeOver } = file
    return { ...connectionOf(file), path, isRepaired, isEmpty: !file.hasItems(), takeOver }
  } catch (error) {
    throw new FolderError(
      `The state in ${path} cannot be opened (${(error as Error).message}). Restore the file from a backup, or set DATA_DIR to another folder.`,
      error,
    )
  }
}

/** Connects another thread to the state that openState has opened. */
export function connectState(path: string): StateConnection {
  return connectionOf(openItemFile(path))
}

function connectionOf(file: ItemFile): StateConnection {
  const { deleteExpired, scrub, close } = file
  return { client: createClient(createRequests(file, TABLE)), table: TABLE, deleteExpired, scrub, close }
}

/**
 * Checks every page of a file that is small enough, or in which a request has met damage since the last
 * check.
 */
function isDamaged(path: string, checkedBytes: number): boolean {
  if (!existsSync(path)) return false
  const isChecked = statSync(path).size <= checkedBytes || existsSync(suspectPath(path))
  try {
    const database = new DatabaseSync(path)
    try {
      // The rest needs the first page alone, and finds a file that is no database.
      database.prepare('PRAGMA schema_version').get()
      return isChecked && database.prepare('PRAGMA quick_check(1)').get()?.quick_check !== 'ok'
    } finally {
      database.close()
    }
  } catch (error) {
    if (isDamage(error)) return true
    throw error
  }
}

/**
 * Copies the items that can be read into a new file: from both ends of the table until a damaged page. The
 * old file stays beside it as `….damaged`.
 */
async function salvage(path: string): Promise<void> {
  const unfinished = `${path}.unfinished`
  for (const ending of ['', '-wal', '-shm']) rmSync(unfinished + ending, { force: true })
  copyFileSync(path, `${path}.damaged`)
  const damaged = new DatabaseSync(path)
  const file = openItemFile(unfinished)
  let count = 0
  await file.write(() => {
    for (const table of ['items', ...ITEM_TABLES]) {
      for (const order of ['', 'DESC']) {
        for (const row of readableRows(damaged, table, order)) {
          file.put(row)
          count++
        }
      }
    }
  })
  await file.close()
  damaged.close()
  // Without its first page, nothing says where the items are. An empty state would look like a new install.
  if (count === 0) throw new Error('none of its items can be read')
  for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
  putInPlace(unfinished, path)
}

/** Gives a complete file its name, durably. */
function putInPlace(unfinished: string, path: string): void {
  syncPath(unfinished)
  renameSync(unfinished, path)
  syncPath(dirname(path))
}

function syncPath(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

/** The rows of a table up to a damaged page. A table that the file lacks has none. */
function* readableRows(database: DatabaseSync, table: string, order: string): Generator<ItemRow> {
  try {
    // The view `items` has no rowid, so only a table of that name has rows here.
    const rows = database.prepare(`SELECT pk, sk, item, expires_at FROM ${table} ORDER BY rowid ${order}`)
    for (const row of rows.iterate()) yield row as ItemRow
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}
