import { Worker } from 'node:worker_threads'
import { errorText } from '#core/errors'
import type { JobQueue, Log } from '#core/ports'
import type { ScanJob } from '#core/scans/scan'
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
/** An analysis that does not end with its thread is cut off after this time, ms. */
const STOP_MS = 5_000

/**
 * Runs website analyses in a thread that starts with the first one. If it crashes, what it ran begins again
 * in another one; the worker gives up an analysis that has crashed it three times. `entry`: tests have
 * another file of the thread.
 */
export function createScanThread(
  start: ScanStart,
  log: Log,
  { entry = new URL('./thread.ts', import.meta.url), idleMs = IDLE_MS } = {},
): ScanThread {
  const running = new Map<string, ScanJob>()
  let thread: { worker: Worker; ended: Promise<void> } | null = null
  let isStopping = false
  let timer: NodeJS.Timeout | undefined

  function open(): { worker: Worker; ended: Promise<void> } {
    const worker = new Worker(entry, { workerData: start, execArgv })
    const ended = Promise.withResolvers<void>()
    worker.on('message', (message: ScanMessage) => {
      if (message.kind === 'log') return log(message.code, message.fields)
      running.delete(message.id)
      if (running.size === 0) timer = setTimeout(end, idleMs).unref()
    })
    worker.on('error', error => log('JOB_FAILED', { job: 'scans', error: errorText(error) }))
    worker.on('exit', () => {
      ended.resolve()
      if (thread?.worker === worker) thread = null
      if (running.size > 0 && !isStopping) timer = setTimeout(resume, RESTART_MS)
    })
    return { worker, ended: ended.promise }
  }

  function post(command: ScanCommand): void {
    clearTimeout(timer)
    thread ??= open()
    thread.worker.postMessage(command)
  }

  function resume(): void {
    for (const job of running.values()) post({ kind: 'run', job: { ...job, takesOver: true } })
  }

  async function end(): Promise<void> {
    clearTimeout(timer)
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
      post({ kind: 'run', job })
    },
    async stop() {
      isStopping = true
      await end()
    },
  }
}
