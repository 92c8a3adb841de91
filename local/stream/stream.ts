import { Worker } from 'node:worker_threads'
import { unavailable } from '#core/errors'
import type { EventStream, Log } from '#core/ports'
import type { LogLimits } from './log-file.ts'
import { openStreamReader } from './reader.ts'
import type { WriterGroup, WriterResponse, WriterStart } from './writer.ts'

export type LocalStream = EventStream & {
  /** Commits what was appended, then closes the file. */
  close(): Promise<void>
}

export type LocalStreamOptions = LogLimits & {
  log: Log
  /** Sequences up to here were handed out before, as the lake remembers; new ones are higher. */
  minSequence?: string | null
}

type Waiting = { records: readonly Uint8Array[]; settle: (error: Error | null) => void }

/** More than this waiting for the disk is refused at once, before it fills the memory. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
const RETRY_SECONDS = 5

/**
 * Opens the SQLite log of the folder for appending; one process at a time may do so. Appends that arrive while a
 * commit runs share the next one (group commit): the slower the disk, the bigger the groups.
 * A full disk, a read-only file or an I/O error refuses the appends of the group with UNAVAILABLE; the next group
 * tries anew. Rejects when the file can be neither opened nor replaced by a new one.
 */
export async function openStream(
  dir: string,
  { log, minSequence, ...limits }: LocalStreamOptions,
): Promise<LocalStream> {
  const start: WriterStart = { dir, minSequence: Number(minSequence ?? 0), now: Date.now(), limits }
  const writer = new Worker(new URL('./writer.ts', import.meta.url), {
    workerData: start,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  await opened(writer, log)
  const reader = openStreamReader(dir)

  let waiting: Waiting[] = []
  let waitingBytes = 0
  let committing: Waiting[] | null = null
  let scheduled = false
  let failure: Error | null = null
  const closed = Promise.withResolvers<void>()
  let closing = false

  /** Sends what waits to the commit thread, unless it is at work: its answer calls again. */
  function commitNext() {
    scheduled = false
    if (committing !== null) return
    if (waiting.length === 0) {
      if (closing) writer.postMessage('close')
      return
    }
    committing = waiting
    waiting = []
    waitingBytes = 0
    const group = groupOf(committing)
    writer.postMessage(group, [group.bytes.buffer as ArrayBuffer, group.lengths.buffer as ArrayBuffer])
  }

  function settle(error: Error | null) {
    const done = committing ?? []
    committing = null
    for (const waiter of done) waiter.settle(error)
  }

  writer.on('message', (answer: WriterResponse) => {
    if (answer.kind === 'refused') {
      log('STREAM_UNAVAILABLE', { reason: answer.message, sqlite: answer.code })
      settle(unavailable('the event log cannot be written now', RETRY_SECONDS))
    } else {
      settle(null)
    }
    commitNext()
  })
  writer.on('error', error => {
    failure = error
    log('STREAM_UNAVAILABLE', { reason: error.message })
  })
  writer.on('exit', () => {
    failure ??= new Error('the commit thread has ended')
    settle(unavailable('the event log has stopped', RETRY_SECONDS, failure))
    committing = waiting
    waiting = []
    settle(unavailable('the event log has stopped', RETRY_SECONDS, failure))
    closed.resolve()
  })

  return {
    append(records) {
      if (failure !== null || closing) {
        return Promise.reject(unavailable('the event log has stopped', RETRY_SECONDS, failure))
      }
      if (waitingBytes > MAX_WAITING_BYTES) {
        return Promise.reject(unavailable('the event log is behind', RETRY_SECONDS))
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.push({ records, settle: error => (error === null ? resolve() : reject(error)) })
      for (const record of records) waitingBytes += record.length
      if (!scheduled && committing === null) {
        scheduled = true
        setImmediate(commitNext)
      }
      return promise
    },
    shards: reader.shards,
    read: reader.read,
    async close() {
      if (!closing) {
        closing = true
        if (committing === null && !scheduled) commitNext()
      }
      await closed.promise
      reader.close()
    },
  }
}

/** Waits until the commit thread has the file open; its failure to open it is ours. */
async function opened(writer: Worker, log: Log): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<WriterResponse>()
  writer.once('message', resolve)
  writer.once('error', reject)
  try {
    const answer = await promise
    if (answer.kind === 'opened' && answer.damage !== null) log('STREAM_DAMAGED', answer.damage)
  } finally {
    writer.off('error', reject)
  }
}

/** The records of a group one after the other in one buffer, which changes threads without being copied. */
function groupOf(waiting: readonly Waiting[]): WriterGroup {
  const records = waiting.flatMap(({ records }) => records)
  const lengths = Uint32Array.from(records, record => record.length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const record of records) {
    bytes.set(record, at)
    at += record.length
  }
  return { lengths, bytes, appendedAt: Date.now() }
}
