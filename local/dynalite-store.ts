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
export function prepareStore(db: DynaliteLevel): void {
  const write = groupCommit(db)
  const get = db.get.bind(db)
  const createValueStream = db.createValueStream.bind(db)
  db.put = (key, value, done) => write({ type: 'put', key, value }, done)
  db.del = (key, done) => write({ type: 'del', key }, done)
  db.get = (key, done) => get(key, (error, value) => done(error && asAnswer(error), value))
  // The first listener: dynalite's own, which comes after it, sees the error as it leaves here.
  db.createValueStream = options => createValueStream(options).on('error', asAnswer)
}

/** The prototype's method: dynalite's replacement on the instance drops the options. */
const batchOf = ClassicLevel.prototype.batch as (
  this: DynaliteLevel,
  writes: Write[],
  options: { sync: boolean },
) => Promise<void>

/** One synced batch at a time; what comes meanwhile goes into the next one, in its order. */
function groupCommit(db: DynaliteLevel) {
  let waiting: { write: Write; done: Done }[] = []
  let busy = false

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
      await batchOf.call(db, writes, { sync: true })
      return null
    } catch (error) {
      return asAnswer(error as Error)
    }
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
