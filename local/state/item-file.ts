import {
  close as closeFile,
  closeSync,
  existsSync,
  fdatasync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isDamage } from '#local/stream/log-file'
import { createGroupSync } from './group-sync.ts'
import { ItemError } from './item-error.ts'
import { createItemTables, ITEM_TABLES, isPrepared, prepareFile, scrubSteps } from './item-tables.ts'
import type { ItemRow } from './values.ts'

const dataSync = promisify(fdatasync)

/** SQLite's result code when another thread writes. */
const SQLITE_BUSY = 5
/** The start waits this long for another thread, ms. */
const OPEN_MS = 10_000
/** A write of another thread takes less than 1 ms, a step of a scrub a few. A slow disk may take longer. */
const BUSY_MS = 30_000
const BUSY_PAUSE_MS = 1
/** Work of one turn of the event loop, before other work of the thread gets its turn: about 1 ms. */
const CALLS_OF_TURN = 20
/** Expired items that one statement deletes. A chunk of the live buffer has up to 300 KB. */
const EXPIRED_ITEMS = 25

/**
 * A scrub pauses after each step as long as the step took, and at least so long, ms: writers of other threads
 * look once in BUSY_PAUSE_MS whether they may write.
 */
const SCRUB_PAUSE_MS = 3

/** Replaces the item of the same key, by the trigger of item-tables.ts. */
const PUT = 'INSERT INTO items (pk, sk, item, expires_at) VALUES (?, ?, ?, ?)'

/** The file that a damaged page leaves when a request finds it. The next start then checks every page. */
export function suspectPath(path: string): string {
  return `${path}.suspect`
}

/** Some items in the order of their keys: conditions on `pk` and `sk` in SQL. */
export type Page = { conditions: { sql: string; values: string[] }[]; isForward: boolean }

/**
 * Opens the SQLite file of the state, and creates it if needed. Each thread opens the file for itself: reads
 * see every finished write of all threads, and one thread writes at a time.
 *
 * A write is acknowledged when it is synced. SQLite's own way (synchronous = FULL) would sync within the
 * commit, and this thread would wait for the disk. So SQLite only writes its log (NORMAL), and the same sync
 * of that file follows in Node's thread pool, one for all writes that wait. A checkpoint syncs by itself.
 */
export function openItemFile(path: string, { checkpointPages = 1_000 } = {}) {
  // SQLite gives its other two files the mode of this one. A file that exists stays closed: to close it would
  // end the locks that other threads have on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path, { timeout: OPEN_MS })
  // It counts before the first page of a file. In a file that exists it would be a write at each opening.
  if (statSync(path).size === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = ON;
    PRAGMA wal_autocheckpoint = ${checkpointPages};
  `)
  createItemTables(database)
  database.exec('PRAGMA busy_timeout = 0')
  const log = openSync(`${path}-wal`, 'r+')
  const statements = new Map<string, StatementSync>()
  const waitUntilSynced = createGroupSync(sync)
  /** After a failed sync the system may have dropped what was to be written, and it does not say so again. */
  let mustCheckpoint = false
  let callsOfTurn = 0
  const steps = scrubSteps(database)

  /** The texts of statements are few: see toPage of requests.ts. */
  function prepare(sql: string): StatementSync {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  async function sync(): Promise<void> {
    try {
      if (!mustCheckpoint) return await dataSync(log)
    } catch {
      mustCheckpoint = true
    }
    // Writes the pages, which are still in memory, to the other file, and syncs that.
    await attempt(() => checkpoint('FULL'))
    mustCheckpoint = false
  }

  function checkpoint(mode: 'PASSIVE' | 'FULL' | 'TRUNCATE'): void {
    const { busy } = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {}
    if (busy === 1)
      throw Object.assign(new Error('The log of the state is in use.'), { errcode: SQLITE_BUSY })
  }

  /**
   * Runs the work, and again while another thread writes. Throws InternalServerError when SQLite fails, as on
   * a full disk.
   */
  async function attempt<T>(work: () => T): Promise<T> {
    await shareThread()
    for (let waited = 0; ; waited += BUSY_PAUSE_MS) {
      if (!database.isOpen) throw new ItemError('InternalServerError', 'The state is closed.')
      try {
        return work()
      } catch (error) {
        const { errcode, message } = error as Error & { errcode?: number }
        if (errcode === undefined) throw error
        if (isDamage(error)) writeFileSync(suspectPath(path), '')
        const isBusy = (errcode & 0xff) === SQLITE_BUSY
        if (!isBusy || waited >= BUSY_MS) throw new ItemError('InternalServerError', message, error)
      }
      await sleep(BUSY_PAUSE_MS)
    }
  }

  /**
   * Reads end within their call, so without this a loop of a thousand would run to its end before the next
   * request is taken.
   */
  async function shareThread(): Promise<void> {
    if (callsOfTurn++ === 0) {
      setImmediate(() => {
        callsOfTurn = 0
      })
    }
    if (callsOfTurn > CALLS_OF_TURN) await nextTurn()
  }

  function transact<T>(work: () => T): T {
    prepare('BEGIN IMMEDIATE').run()
    try {
      const result = work()
      prepare('COMMIT').run()
      return result
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (database.isTransaction) prepare('ROLLBACK').run()
      throw error
    }
  }

  /** Runs steps of a scrub, each in a transaction, until one returns false. */
  async function repeatStep(step: () => boolean): Promise<void> {
    for (;;) {
      const startedAt = performance.now()
      if (!(await attempt(() => transact(step)))) return
      await sleep(Math.max(SCRUB_PAUSE_MS, performance.now() - startedAt))
    }
  }

  return {
    /** Runs a read. */
    read: attempt,
    /**
     * Runs the work as one transaction. Resolves when it is on the disk. After a failed sync it may be there
     * or not.
     */
    async write<T>(work: () => T): Promise<T> {
      const result = await attempt(() => transact(work))
      await waitUntilSynced()
      return result
    },

    hasItems(): boolean {
      return prepare('SELECT 1 FROM items LIMIT 1').get() !== undefined
    },
    get(pk: string, sk: string): string | undefined {
      return prepare('SELECT item FROM items WHERE pk = ? AND sk = ?').get(pk, sk)?.item as string | undefined
    },
    put({ pk, sk, item, expires_at }: ItemRow): void {
      prepare(PUT).run(pk, sk, item, expires_at)
    },
    remove(pk: string, sk: string): void {
      for (const table of ITEM_TABLES) prepare(`DELETE FROM ${table} WHERE pk = ? AND sk = ?`).run(pk, sk)
    },
    /** The texts of the items of a page, until the caller takes no more. The caller must not pause. */
    *page({ conditions, isForward }: Page): Iterable<string> {
      const where = ['true', ...conditions.map(({ sql }) => sql)].join(' AND ')
      const order = isForward ? 'pk, sk' : 'pk DESC, sk DESC'
      // Not over the view: SQLite would collect and sort all rows of the range before it returns the first.
      const selects = ITEM_TABLES.map(table => `SELECT item, pk, sk FROM ${table} WHERE ${where}`)
      const select = prepare(`${selects.join(' UNION ALL ')} ORDER BY ${order}`)
      const values = conditions.flatMap(condition => condition.values)
      for (const { item } of select.iterate(...values, ...values)) yield item as string
    },

    /** Deletes the items whose `expires_at` (Unix seconds) is before `now`, and shortens the log. */
    async deleteExpired(now: number): Promise<void> {
      for (const table of ITEM_TABLES) {
        const expired = `SELECT rowid FROM ${table} WHERE expires_at < ? LIMIT ${EXPIRED_ITEMS}`
        const sql = `DELETE FROM ${table} WHERE rowid IN (${expired})`
        while ((await attempt(() => prepare(sql).run(now).changes)) > 0) await nextTurn()
      }
      await attempt(() => checkpoint('PASSIVE'))
    },
    /**
     * Prepares a file of an older version for scrubs. Without room on the disk a later start or scrub does.
     */
    async takeOver(): Promise<void> {
      if (isPrepared(database)) return
      await attempt(() => prepareFile(database)).catch(() => {})
      await attempt(() => checkpoint('TRUNCATE')).catch(() => {})
    },
    /**
     * Removes the bytes of items from the files that were deleted or replaced before the call, in many small
     * transactions: reads and writes of all threads go on between them. Only one scrub may run at a time. A
     * process that ends meanwhile leaves items in both tables, which is no fault; its scrub counts for
     * nothing.
     */
    async scrub(): Promise<void> {
      if (!isPrepared(database)) await attempt(() => prepareFile(database))
      // What an interrupted scrub has left, so that one table is empty.
      await repeatStep(steps.move)
      await attempt(() => transact(steps.turn))
      await repeatStep(steps.move)
      await repeatStep(steps.shrink)
      // Most pages move while others write; then the last ones, while they wait.
      await attempt(() => checkpoint('PASSIVE'))
      await attempt(() => checkpoint('TRUNCATE'))
    },
    async close(): Promise<void> {
      if (!database.isOpen) return
      // A sync may still run.
      await waitUntilSynced().catch(() => {})
      await promisify(closeFile)(log)
      database.close()
    },
  }
}

export type ItemFile = ReturnType<typeof openItemFile>
