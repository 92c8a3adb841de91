import { statfs } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ClassicLevel, type OpenOptions } from 'classic-level'
import type { DynaliteOptions } from 'dynalite'
import engine, { type DynaliteLevel, type DynaliteStore } from 'dynalite/db/index.js'

/*
 * dynalite does not export its store. It creates the store with `create` of this module, so we replace `create` to
 * get the store.
 */
const create = engine.create
engine.create = function createPrepared(options: DynaliteOptions): DynaliteStore {
  const store = create(options)
  options.prepare(store)
  return store
}

/** Start of the keys under which dynalite keeps the definitions of tables. */
const TABLE_PREFIX = 'table~'

type Callback = (error: Error | null, value?: unknown) => void
type Write = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string }

/**
 * Start of the partition keys of the live buffer. Its items are there for minutes. The checkpoint of the live feed is written after
 * them, and LevelDB writes in order.
 */
const LIVE_PREFIX = 'live#'

/**
 * Makes dynalite's store durable. Without this, dynalite acknowledges writes before they are on disk, so a power cut
 * loses the last seconds, and a disk error ends the process, because dynalite throws it where nothing can catch it.
 * With this, writes are synced in batches before they are acknowledged, and a disk error becomes a response with status
 * 500.
 */
export function prepareStore(db: DynaliteLevel, folder: string): void {
  const write = createGroupCommit(db, folder)
  db.put = (key, value, done) => write({ type: 'put', key, value: withActiveStatus(value) }, done)
  db.del = (key, done) => write({ type: 'del', key }, done)
  db.get = cacheTables((key, done) => getSync(db, key, done))
  // This listener is called before dynalite's own listener, so dynalite sees the extended error.
  db.createValueStream = options => streamValues(db, options).on('error', addResponse)
}

/**
 * Streams values, and closes the iterator at the end. dynalite's own version never does, so every query would keep a view of the store
 * for ever: LevelDB could delete neither old files nor the bytes of deleted items.
 */
function streamValues(db: DynaliteLevel, options: Parameters<DynaliteLevel['values']>[0]): Readable {
  const iterator = db.values(options)
  return new Readable({
    objectMode: true,
    read() {
      iterator.next().then(
        value => void this.push(value ?? null),
        error => this.destroy(error),
      )
    },
    destroy(error, done) {
      iterator.close().then(() => done(error), done)
    },
  })
}

/**
 * Reads an item in this thread. The item is nearly always in memory, and then this takes some µs; the way through Node's thread pool
 * takes 50, and every write of an item reads it first. It also waits for the reads of files that are before it in the pool.
 */
function getSync(db: DynaliteLevel, key: string, done: Callback): void {
  let error: Error | null = null
  let value: unknown
  try {
    value = level.getSync.call(db, key)
  } catch (failure) {
    error = addResponse(failure as Error)
  }
  queueMicrotask(() => done(error, value))
}

/**
 * Keeps the definition of a table in memory. dynalite reads it with every request, and it never changes after the table
 * was created, because this service neither updates nor deletes tables.
 */
function cacheTables(get: DynaliteLevel['get']): DynaliteLevel['get'] {
  const tables = new Map<string, unknown>()
  return (key, done) => {
    if (!key.startsWith(TABLE_PREFIX)) return get(key, done)
    const table = tables.get(key)
    if (table !== undefined) return queueMicrotask(() => done(null, table))
    get(key, (error, value) => {
      if (error === null && value !== undefined) tables.set(key, value)
      done(error, value)
    })
  }
}

/**
 * dynalite creates a table with two writes: first with status CREATING, later with ACTIVE. A process that is killed in
 * between would leave a table that can be neither used nor created again. So the first write already says ACTIVE.
 */
function withActiveStatus(value: unknown): unknown {
  const { TableStatus } = Object(value) as { TableStatus?: unknown }
  return TableStatus === 'CREATING' ? { ...(value as object), TableStatus: 'ACTIVE' } : value
}

/**
 * Methods of the prototype. dynalite's own versions on the instance ignore options, and cannot reopen after a close.
 */
const level = ClassicLevel.prototype as unknown as {
  batch(this: DynaliteLevel, writes: Write[], options: { sync: boolean }): Promise<void>
  close(this: DynaliteLevel): Promise<void>
  compactRange(this: DynaliteLevel, first: string, last: string): Promise<void>
  getSync(this: DynaliteLevel, key: string): unknown
  open(this: DynaliteLevel, options: OpenOptions): Promise<void>
}

/**
 * LevelDB maps each open table file into memory. With its defaults, 1,000 files of 2 MB, a busy live buffer fills 300 MB. It does
 * not go below 74 open files, so the files are smaller, too.
 */
export const LEVEL_OPTIONS: OpenOptions = { maxOpenFiles: 74, maxFileSize: 1_048_576 }

/**
 * Free disk space that a reopen needs: LevelDB writes its log of up to 4 MiB into a table file and starts a new log.
 */
const REOPEN_FREE_BYTES = 16 * 1024 * 1024

/**
 * Commits one batch at a time, synced unless it has only items of the live buffer. Writes that arrive during a commit form the next
 * batch, in their order.
 */
function createGroupCommit(db: DynaliteLevel, folder: string) {
  let waitingWrites: { write: Write; done: Callback }[] = []
  let isCommitting = false
  let needsReopen = false

  async function commit(): Promise<void> {
    isCommitting = true
    while (waitingWrites.length > 0) {
      const batch = waitingWrites
      waitingWrites = []
      const error = await batchSync(batch.map(({ write }) => write))
      for (const { done } of batch) setImmediate(() => done(error))
    }
    isCommitting = false
  }

  async function batchSync(writes: Write[]): Promise<Error | null> {
    try {
      if (needsReopen) await reopen()
      await level.batch.call(db, writes, { sync: !writes.every(isLive) })
      return null
    } catch (error) {
      needsReopen = true
      return addResponse(error as Error)
    }
  }

  /**
   * Starts a new log after a failed write. The old log ends with half a record, and LevelDB would ignore anything after
   * it at the next start. While the disk has no space for a reopen, the store stays open for reads.
   */
  async function reopen(): Promise<void> {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < REOPEN_FREE_BYTES) throw new Error('The disk is full.')
    await level.close.call(db)
    await level.open.call(db, LEVEL_OPTIONS)
    needsReopen = false
  }

  return (write: Write, done: Callback): void => {
    waitingWrites.push({ write, done })
    if (!isCommitting) void commit()
  }
}

/** Whether a power cut may lose the write: it is an item of the live buffer. */
function isLive(write: Write): boolean {
  const { pk } = Object(write.type === 'put' ? write.value : null) as { pk?: { S?: string } }
  return pk?.S?.startsWith(LIVE_PREFIX) ?? false
}

/** Keys before and after all keys of dynalite. */
const FIRST_KEY = '\u0000'
const LAST_KEY = '\uffff'

/**
 * Removes the bytes of deleted and replaced items from the files. LevelDB keeps them until it compacts the file that has them, and
 * `compactRange` leaves out files that overlap with no other. So each round writes a small file that overlaps with all of them. The
 * first round writes what is in memory into such files, the second one compacts them.
 */
export async function removeDeletedBytes(db: DynaliteLevel): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const key of [FIRST_KEY, LAST_KEY]) {
      await new Promise<void>((resolve, reject) =>
        db.put(key, round, error => (error === null ? resolve() : reject(error))),
      )
    }
    await level.compactRange.call(db, FIRST_KEY, LAST_KEY)
  }
}

/** Adds the response that dynalite sends for the error. dynalite throws an error that has no response. */
function addResponse(error: Error): Error {
  return Object.assign(error, {
    statusCode: 500,
    body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: error.message },
  })
}
