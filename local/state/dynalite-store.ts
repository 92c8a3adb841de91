import { statfs } from 'node:fs/promises'
import { ClassicLevel } from 'classic-level'
import type { DynaliteOptions } from 'dynalite'
import engine, { type DynaliteLevel, type DynaliteStore } from 'dynalite/db/index.js'

/*
 * dynalite keeps its store to itself, but makes it by `create` of this module, from its options: here is where we
 * get at it.
 */
const create = engine.create
engine.create = function createPrepared(options: DynaliteOptions): DynaliteStore {
  const store = create(options)
  options.prepare(store)
  return store
}

type Done = (error: Error | null) => void
type Write = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string }

/**
 * Makes a store of dynalite fit for data that must last. Left alone, it acknowledges writes that are not on disk yet
 * (a power cut takes the last seconds), and an error of the disk is thrown where nothing can catch it: it ends the
 * process. Here writes are synced, all that wait together as one batch, and an error becomes the answer 500.
 */
export function prepareStore(db: DynaliteLevel, folder: string): void {
  const write = groupCommit(db, folder)
  const get = db.get.bind(db)
  const createValueStream = db.createValueStream.bind(db)
  db.put = (key, value, done) => write({ type: 'put', key, value: bornActive(value) }, done)
  db.del = (key, done) => write({ type: 'del', key }, done)
  db.get = (key, done) => get(key, (error, value) => done(error && asAnswer(error), value))
  // The first listener: dynalite's own, which comes after it, sees the error as it leaves here.
  db.createValueStream = options => createValueStream(options).on('error', asAnswer)
}

/**
 * dynalite makes a table in two writes, CREATING and later ACTIVE, and a process that dies in between leaves one that
 * can neither be used nor made again: here it is active from the first write on.
 */
function bornActive(value: unknown): unknown {
  const { TableStatus } = value as { TableStatus?: unknown }
  return TableStatus === 'CREATING' ? { ...(value as object), TableStatus: 'ACTIVE' } : value
}

/** The prototype's methods: dynalite's replacements on the instance drop options, and close for good. */
const level = ClassicLevel.prototype as unknown as {
  batch(this: DynaliteLevel, writes: Write[], options: { sync: boolean }): Promise<void>
  close(this: DynaliteLevel): Promise<void>
  open(this: DynaliteLevel): Promise<void>
}

/** Opening writes the log of up to 4 MiB into a table file and starts a new log. */
const REOPEN_FREE_BYTES = 16 * 1024 * 1024

/** One synced batch at a time; what comes meanwhile goes into the next one, in its order. */
function groupCommit(db: DynaliteLevel, folder: string) {
  let waiting: { write: Write; done: Done }[] = []
  let busy = false
  let failed = false

  async function commit(): Promise<void> {
    busy = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const error = await batchSync(batch.map(({ write }) => write))
      for (const { done } of batch) setImmediate(() => done(error))
    }
    busy = false
  }

  async function batchSync(writes: Write[]): Promise<Error | null> {
    try {
      if (failed) await reopen()
      await level.batch.call(db, writes, { sync: true })
      return null
    } catch (error) {
      failed = true
      return asAnswer(error as Error)
    }
  }

  /**
   * After a failed write LevelDB's log ends in half a record: what it would add there is dropped when the log is read
   * again. Opening anew starts another log. While there is no room for that, the store stays open for reads.
   */
  async function reopen(): Promise<void> {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < REOPEN_FREE_BYTES) throw new Error('there is no room left on the disk')
    await level.close.call(db)
    await level.open.call(db)
    failed = false
  }

  return (write: Write, done: Done): void => {
    waiting.push({ write, done })
    if (!busy) void commit()
  }
}

/** The error with what dynalite answers it by; without these it throws it. */
function asAnswer(error: Error): Error {
  return Object.assign(error, {
    statusCode: 500,
    body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: error.message },
  })
}
