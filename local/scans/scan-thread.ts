import { Worker } from 'node:worker_threads'
import { errorText } from '#core/errors'
import type { JobQueue, Log } from '#core/ports'
import { RUN_MS } from '#core/scans/running-scans'
import type { ScanJob } from '#core/scans/scan'
import { caught } from '#local/caught'
import { execArgv } from '#local/thread-options'
import type { LogCode } from '#schemas/log'

/** Settings for the thread. */
export type ScanStart = {
  dataDir: string
  userAgent: string
  /** An installed Chromium; undefined: the one of the npm package. */
  chromiumPath?: string | undefined
  /** A model of Amazon Bedrock; undefined: none is called. */
  textModel?: string | undefined
}

export type ScanMessage =
  | { kind: 'done'; id: string }
  | { kind: 'log'; code: LogCode; fields: Record<string, unknown> }

export type ScanCommand = { kind: 'run'; job: ScanJob } | { kind: 'stop' }

export type ScanThread = JobQueue<ScanJob> & {
  /** Ends the thread. Its analyses begin again with the next start of the service. */
  stop(): Promise<void>
}

/** The thread ends after so long without an analysis, ms, and gives its memory back. */
const IDLE_MS = 60_000
const RESTART_MS = 1_000
/**
 * If an analysis has not ended after this time, ms, its thread is blocked: in a thread that works, each
 * analysis stops itself earlier.
 */
const BLOCKED_MS = RUN_MS.full + 100_000
/** An analysis that does not end with its thread is cut off after this time, ms. */
const STOP_MS = 5_000

/**
 * Runs website analyses in a thread that starts with the first one. If it crashes or is blocked, what it ran
 * begins again in another one; after three tries the worker gives up an analysis. `entry`: the file
 * of the thread, for tests.
 */
export function createScanThread(
  start: ScanStart,
  log: Log,
  { entry = new URL('./thread.ts', import.meta.url), idleMs = IDLE_MS, blockedMs = BLOCKED_MS } = {},
): ScanThread {
  const running = new Map<string, ScanJob>()
  /** A timer for each analysis of the thread. It fires when the thread counts as blocked. */
  const watches = new Map<string, NodeJS.Timeout>()
  let thread: { worker: Worker; ended: Promise<void> } | null = null
  let isStopping = false
  let idle: NodeJS.Timeout | undefined
  let restart: NodeJS.Timeout | undefined

  function open(): { worker: Worker; ended: Promise<void> } {
    const worker = new Worker(entry, { workerData: start, execArgv })
    const ended = Promise.withResolvers<void>()
    worker.on('message', (message: ScanMessage) => {
      if (message.kind === 'log') return log(message.code, message.fields)
      running.delete(message.id)
      unwatch(message.id)
      if (running.size > 0) return
      clearTimeout(idle)
      idle = setTimeout(caught(log, 'end of the scan thread', end), idleMs).unref()
    })
    worker.on('error', error => log('JOB_FAILED', { job: 'scans', error: errorText(error) }))
    worker.on('exit', () => {
      ended.resolve()
      // This thread was told to end, and has no analyses. There may be a new thread already.
      if (thread?.worker !== worker) return
      thread = null
      unwatchAll()
      if (running.size > 0 && !isStopping)
        restart = setTimeout(caught(log, 'restart of analyses', resume), RESTART_MS)
    })
    return { worker, ended: ended.promise }
  }

  function post(job: ScanJob): void {
    clearTimeout(idle)
    thread ??= open()
    const { worker } = thread
    if (!watches.has(job.id)) watches.set(job.id, setTimeout(endBlocked, blockedMs, worker, job.id).unref())
    worker.postMessage({ kind: 'run', job } satisfies ScanCommand)
  }

  function unwatch(id: string): void {
    clearTimeout(watches.get(id))
    watches.delete(id)
  }

  function unwatchAll(): void {
    for (const id of watches.keys()) unwatch(id)
  }

  /** Terminates a blocked thread. It cannot read a message that asks it to stop. */
  async function endBlocked(worker: Worker, id: string): Promise<void> {
    unwatchAll()
    log('JOB_FAILED', { job: 'scans', error: `the thread has not ended ${id} in ${blockedMs / 1_000} s` })
    await worker.terminate()
  }

  function resume(): void {
    restart = undefined
    for (const job of running.values()) post({ ...job, takesOver: true })
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    clearTimeout(restart)
    const current = thread
    if (current === null) return
    thread = null
    current.worker.postMessage({ kind: 'stop' } satisfies ScanCommand)
    const cutOff = setTimeout(() => current.worker.terminate(), STOP_MS)
    await current.ended
    clearTimeout(cutOff)
  }

  return {
    async send(job) {
      if (isStopping) return
      running.set(job.id, job)
      // If a restart is planned, the new thread gets all waiting analyses then.
      if (restart === undefined) post(job)
    },
    async stop() {
      isStopping = true
      unwatchAll()
      await end()
    },
  }
}
