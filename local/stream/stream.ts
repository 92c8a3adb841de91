import { Worker } from 'node:worker_threads'
import { unavailable } from '#core/errors'
import type { EventStream, Log } from '#core/ports'
import { execArgv } from '#local/thread-options'
import type { LogLimits } from './log-file.ts'
import { openStreamReader } from './reader.ts'
import type { Shortfall } from './shortfall.ts'
import type { WriterGroup, WriterMessage, WriterResponse, WriterStart } from './writer.ts'

export type LocalStream = EventStream & {
  /** Returns about how many bytes the records after this sequence have. */
  bytesAfter(after: string | null): number
  /** Commits the waiting records, then closes the file. */
  close(): Promise<void>
}

export type LocalStreamOptions = LogLimits & {
  log: Log
  /** New records get sequences above this one. The caller takes it from the state and the lake. */
  minSequence?: string | null
  /** The name of its one shard. Default: LOCAL_SHARD. */
  shard?: string
}

type WaitingAppend = { records: readonly Uint8Array[]; settle: (error: Error | null) => void }

/** An append is refused while more bytes than this wait for the disk, before they fill the memory. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
const RETRY_SECONDS = 5

/**
 * Opens the SQLite log of the folder for appending. Only one process at a time may do so. Appends that arrive
 * during a commit share the next commit (group commit), so a slower disk gets larger groups. When a commit
 * fails, for example on a full disk, all appends of its group reject with UNAVAILABLE, and the next group
 * tries again. openStream rejects when the file can be neither opened nor replaced by a new one.
 */
export async function openStream(
  dir: string,
  { log, minSequence, shard, ...limits }: LocalStreamOptions,
): Promise<LocalStream> {
  const start: WriterStart = { dir, minSequence: Number(minSequence ?? 0), now: Date.now(), limits }
  const writer = new Worker(new URL('./writer.ts', import.meta.url), {
    workerData: start,
    execArgv,
  })
  await waitUntilOpen(writer, log)
  const reader = openStreamReader(dir, shard)

  let waitingAppends: WaitingAppend[] = []
  let waitingBytes = 0
  let currentGroup: WaitingAppend[] | null = null
  let isScheduled = false
  let failure: Error | null = null
  const closed = Promise.withResolvers<void>()
  let isClosing = false

  /**
   * Sends the waiting appends to the commit thread. During a commit it does nothing: the thread's response
   * calls it again.
   */
  function commitNext() {
    isScheduled = false
    if (currentGroup !== null) return
    if (waitingAppends.length === 0) {
      if (isClosing) writer.postMessage('close')
      return
    }
    currentGroup = waitingAppends
    waitingAppends = []
    waitingBytes = 0
    const group = toGroup(currentGroup)
    writer.postMessage(group, [group.bytes.buffer as ArrayBuffer, group.lengths.buffer as ArrayBuffer])
  }

  function settle(error: Error | null) {
    const appends = currentGroup ?? []
    currentGroup = null
    for (const append of appends) append.settle(error)
  }

  writer.on('message', (response: WriterResponse) => {
    if (response.kind === 'refused') {
      log('STREAM_UNAVAILABLE', { reason: response.message, sqlite: response.code })
      settle(unavailable('The event log cannot be written now. Try again later.', RETRY_SECONDS))
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
    failure ??= new Error('The commit thread has ended.')
    settle(stoppedError())
    currentGroup = waitingAppends
    waitingAppends = []
    settle(stoppedError())
    closed.resolve()
  })

  function stoppedError() {
    return unavailable('The event log has stopped. Try again later.', RETRY_SECONDS, failure)
  }

  return {
    append(records) {
      if (failure !== null || isClosing) return Promise.reject(stoppedError())
      if (waitingBytes > MAX_WAITING_BYTES) {
        return Promise.reject(
          unavailable('Too many events wait for the disk. Try again later.', RETRY_SECONDS),
        )
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waitingAppends.push({ records, settle: error => (error === null ? resolve() : reject(error)) })
      for (const record of records) waitingBytes += record.length
      if (!isScheduled && currentGroup === null) {
        isScheduled = true
        setImmediate(commitNext)
      }
      return promise
    },
    shards: reader.shards,
    read: reader.read,
    bytesAfter: reader.bytesAfter,
    async close() {
      if (!isClosing) {
        isClosing = true
        if (currentGroup === null && !isScheduled) commitNext()
      }
      await closed.promise
      reader.close()
    },
  }
}

/** Waits until the commit thread has opened the file. Rejects when it cannot. */
async function waitUntilOpen(writer: Worker, log: Log): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<WriterResponse>()
  writer.once('message', resolve)
  writer.once('error', reject)
  try {
    const response = await promise
    if (response.kind !== 'opened') return
    const { damage, shortfall } = response
    if (damage !== null) log('STREAM_DAMAGED', damage)
    if (shortfall === null) return
    reportShortfall(shortfall, log)
    writer.postMessage('raise-floor' satisfies WriterMessage)
  } finally {
    writer.off('error', reject)
  }
}

function reportShortfall({ end, taken, isSalvaged, lost }: Shortfall, log: Log): void {
  if (end < taken && !isSalvaged) log('STREAM_BEHIND', { end, taken })
  if (lost === null) return
  const message = `Up to ${lost.records} acknowledged records are lost. A record holds the events of one request.`
  log('EVENTS_LOST', { ...lost, message })
}

/** Puts the records of all appends into one buffer, which moves to the commit thread without a copy. */
function toGroup(appends: readonly WaitingAppend[]): WriterGroup {
  const records = appends.flatMap(({ records }) => records)
  const lengths = Uint32Array.from(records, record => record.length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const record of records) {
    bytes.set(record, at)
    at += record.length
  }
  return { lengths, bytes, appendedAt: Date.now() }
}
