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

type WaitingAppend = {
  records: readonly Uint8Array[]
  bytes: number
  settle: (error: Error | null) => void
}

/**
 * An append is refused while more bytes than this wait for the disk or are on their way to it, before they
 * fill the memory: those on their way are there twice, for the commit thread and until it answers. A usual
 * disk takes as much in less than a second.
 */
export const MAX_HELD_BYTES = 32 * 1024 * 1024
const RETRY_SECONDS = 5
/**
 * The least time between two starts of the commit thread, ms. A start takes about a tenth of a second of
 * processor, and a thread that ends at each group must not take more.
 */
const RESTART_MS = 1_000

/**
 * Opens the SQLite log of the folder for appending. Only one process at a time may do so. Appends that arrive
 * during a commit share the next commit (group commit), so a slower disk gets larger groups. When a commit
 * fails, for example on a full disk, all appends of its group reject with UNAVAILABLE, and the next group
 * tries again. When the commit thread ends, it is started again. openStream rejects when the file can be
 * neither opened nor replaced by a new one.
 */
export async function openStream(
  dir: string,
  { log, minSequence, shard, ...limits }: LocalStreamOptions,
): Promise<LocalStream> {
  const startThread = async (isRestart: boolean): Promise<Worker> => {
    const start: WriterStart = {
      dir,
      minSequence: Number(minSequence ?? 0),
      now: Date.now(),
      limits,
      isRestart,
    }
    startedAt = performance.now()
    const thread = new Worker(new URL('./writer.ts', import.meta.url), { workerData: start, execArgv })
    await waitUntilOpen(thread, log)
    return thread
  }
  let startedAt = 0
  /** Null after the thread has ended. */
  let writer: Worker | null = attach(await startThread(false))
  const reader = openStreamReader(dir, shard)

  let waitingAppends: WaitingAppend[] = []
  /** Bytes of all appends that are not settled. */
  let heldBytes = 0
  let currentGroup: WaitingAppend[] | null = null
  let isScheduled = false
  let failure: Error | null = null
  let restart: Promise<void> | null = null
  const closed = Promise.withResolvers<void>()
  let isClosing = false

  /**
   * Sends the waiting appends to the commit thread. During a commit it does nothing: the thread's response
   * calls it again.
   */
  function commitNext() {
    isScheduled = false
    if (currentGroup !== null) return
    if (writer === null) return restartThread()
    if (waitingAppends.length === 0) {
      if (isClosing) writer.postMessage('close')
      return
    }
    currentGroup = waitingAppends
    waitingAppends = []
    const group = toGroup(currentGroup)
    writer.postMessage(group, [group.bytes.buffer as ArrayBuffer, group.lengths.buffer as ArrayBuffer])
  }

  function settle(error: Error | null) {
    const appends = currentGroup ?? []
    currentGroup = null
    for (const append of appends) {
      heldBytes -= append.bytes
      append.settle(error)
    }
  }

  /** Listens to a thread that has opened the log. */
  function attach(thread: Worker): Worker {
    thread.on('message', (response: WriterResponse) => {
      if (response.kind === 'refused') {
        log('STREAM_UNAVAILABLE', { reason: response.message, sqlite: response.code })
        settle(unavailable('The event log cannot be written now. Try again later.', RETRY_SECONDS))
      } else {
        settle(null)
      }
      commitNext()
    })
    thread.on('error', error => {
      failure = error
    })
    thread.on('exit', () => {
      writer = null
      if (!isClosing) {
        failure ??= new Error('The commit thread has ended.')
        log('STREAM_UNAVAILABLE', { reason: failure.message })
      }
      // Nobody knows whether they are committed, so their senders must send them again.
      settle(stoppedError())
      if (isClosing) return end()
      restartThread()
    })
    return thread
  }

  /**
   * Starts the commit thread again after it has ended, such as by a lack of memory. The waiting appends wait
   * for it. If it ended soon after its start, they are refused, and a later append tries again.
   */
  function restartThread(): void {
    if (restart !== null) return
    if (isClosing) {
      end()
      return
    }
    if (performance.now() - startedAt < RESTART_MS) {
      refuseWaiting()
      return
    }
    restart = startThread(true)
      .then(
        thread => {
          writer = attach(thread)
          failure = null
        },
        error => {
          failure = error
          log('STREAM_UNAVAILABLE', { reason: String(error) })
          refuseWaiting()
        },
      )
      .finally(() => {
        restart = null
        if (writer !== null) commitNext()
        else if (isClosing) end()
      })
  }

  function refuseWaiting(): void {
    currentGroup = waitingAppends
    waitingAppends = []
    settle(stoppedError())
  }

  function end(): void {
    refuseWaiting()
    closed.resolve()
  }

  function stoppedError() {
    return unavailable('The event log has stopped. Try again later.', RETRY_SECONDS, failure)
  }

  return {
    append(records) {
      if (isClosing) return Promise.reject(stoppedError())
      if (heldBytes > MAX_HELD_BYTES) {
        return Promise.reject(
          unavailable('Too many events wait for the disk. Try again later.', RETRY_SECONDS),
        )
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const bytes = records.reduce((sum, { length }) => sum + length, 0)
      heldBytes += bytes
      waitingAppends.push({ records, bytes, settle: error => (error === null ? resolve() : reject(error)) })
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
  const onExit = () => reject(new Error('The commit thread has ended before it has opened the log.'))
  writer.once('message', resolve)
  writer.once('error', reject)
  writer.once('exit', onExit)
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
    writer.off('exit', onExit)
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
