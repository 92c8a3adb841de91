import { Worker } from 'node:worker_threads'
import { errorText } from '#core/errors'
import type { JobQueue, Log } from '#core/ports'
import type { ScanJob } from '#core/scans/scan'
import { caught } from '#local/caught'
import { execArgv } from '#local/thread-options'
import type { Fence } from '#providers/chromium/fences'
import type { LogCode } from '#schemas/log'
import { beatsOf, createPulse, type Pulse, slotOf } from './pulse.ts'

/** Settings for the thread. */
export type ScanStart = {
  dataDir: string
  userAgent: string
  /** An installed Chromium; undefined: the one of the npm package. */
  chromiumPath?: string | undefined
  /** What holds the pages that the browser opens. */
  fence: Fence
  /** A model of Amazon Bedrock; undefined: none is called. */
  textModel?: string | undefined
}

export type ScanMessage =
  | { kind: 'done'; id: string }
  | { kind: 'log'; code: LogCode; fields: Record<string, unknown> }

/** `slot`: what the thread calls the analysis in its pulse, from 1. */
export type ScanCommand = { kind: 'run'; job: ScanJob; slot: number } | { kind: 'stop' }

export type ScanThread = JobQueue<ScanJob> & {
  /** Ends the thread. Its analyses begin again with the next start of the service. */
  stop(): Promise<void>
}

/** The thread ends after so long without an analysis, ms, and gives its memory back. */
const IDLE_MS = 60_000
const RESTART_MS = 1_000
/** How often the parent looks whether the thread still lives, ms. */
const CHECK_MS = 1_000
/**
 * Looks without a beat after which the thread is blocked, and those that it has to load its code. Reading the
 * largest page takes two seconds of CPU. Looks count, not time, so that a machine that was asleep ends
 * nothing.
 */
const SILENT_CHECKS = { working: 15, loading: 100 } as const
/** An analysis that does not end with its thread is cut off after this time, ms. */
const STOP_MS = 5_000

type Thread = { worker: Worker; ended: Promise<void>; pulse: Pulse; slots: string[] }

/**
 * Runs website analyses in a thread that starts with the first one. If one analysis blocks the thread, or
 * ends it by taking all its memory, that analysis fails alone, and the others begin again in another thread.
 * If nobody knows which one it was, all begin again; after three tries the worker gives up an analysis.
 * `entry`: the file of the thread, for tests.
 */
export function createScanThread(
  start: ScanStart,
  log: Log,
  { entry = new URL('./thread.ts', import.meta.url), idleMs = IDLE_MS, checkMs = CHECK_MS } = {},
): ScanThread {
  const running = new Map<string, ScanJob>()
  let thread: Thread | null = null
  let isStopping = false
  let idle: NodeJS.Timeout | undefined
  let restart: NodeJS.Timeout | undefined

  function open(): Thread {
    const pulse = createPulse()
    const worker = new Worker(entry, { workerData: { ...start, pulse }, execArgv })
    const ended = Promise.withResolvers<void>()
    const opened: Thread = { worker, ended: ended.promise, pulse, slots: [] }
    const checks = setInterval(caught(log, 'watch of the scan thread', createCheck(opened)), checkMs).unref()
    worker.on('message', (message: ScanMessage) => {
      if (message.kind === 'log') return log(message.code, message.fields)
      running.delete(message.id)
      if (running.size > 0) return
      clearTimeout(idle)
      idle = setTimeout(caught(log, 'end of the scan thread', end), idleMs).unref()
    })
    worker.on('error', error => log('JOB_FAILED', { job: 'scans', error: errorText(error) }))
    worker.on('exit', () => {
      clearInterval(checks)
      ended.resolve()
      // This thread was told to end, and has no analyses. There may be a new thread already.
      if (thread?.worker !== worker) return
      thread = null
      takeBack(opened)
      if (running.size > 0 && !isStopping)
        restart = setTimeout(caught(log, 'restart of analyses', resume), RESTART_MS)
    })
    return opened
  }

  /** Ends a thread that is silent for too long. It cannot read a message that asks it to stop. */
  function createCheck({ worker, pulse, slots }: Thread): () => void {
    let beats = 0
    let silent = 0
    return () => {
      silent = beatsOf(pulse) === beats ? silent + 1 : 0
      beats = beatsOf(pulse)
      if (silent !== (beats === 0 ? SILENT_CHECKS.loading : SILENT_CHECKS.working)) return
      const by = slots[slotOf(pulse) - 1] ?? 'no known analysis'
      log('JOB_FAILED', { job: 'scans', error: `the thread has not moved for ${silent} checks, by ${by}` })
      void worker.terminate()
    }
  }

  /** Notes what the end of a thread means for its analyses: who has ended it, and who is not to blame. */
  function takeBack({ pulse, slots }: Thread): void {
    const culprit = slots[slotOf(pulse) - 1]
    for (const [id, job] of running) {
      const { interrupted = 0 } = job
      running.set(id, {
        ...job,
        takesOver: true,
        ...(id === culprit
          ? { hasBlocked: true }
          : culprit !== undefined && { interrupted: interrupted + 1 }),
      })
    }
  }

  function post(job: ScanJob): void {
    clearTimeout(idle)
    thread ??= open()
    const { worker, slots } = thread
    const slot = slots.push(job.id)
    worker.postMessage({ kind: 'run', job, slot } satisfies ScanCommand)
  }

  function resume(): void {
    restart = undefined
    for (const job of running.values()) post(job)
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
      await end()
    },
  }
}
