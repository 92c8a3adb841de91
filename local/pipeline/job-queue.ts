import { setTimeout as sleep } from 'node:timers/promises'
import type { JobQueue, Log } from '#core/ports'

export type JobQueueServices<Job> = {
  run(job: Job): Promise<void>
  log: Log
  /** Whether a job goes before the waiting ones that are not urgent. */
  isUrgent?(job: Job): boolean
  /** Cuts off the running job, which then rejects. */
  signal?: AbortSignal
}

export type JobQueueSettings = {
  /** Pause before the first retry of a failed job, ms. Each further pause is twice as long. */
  retryMs: number
  /** Longest pause before a retry, ms. */
  maxRetryMs: number
}

const DEFAULTS: JobQueueSettings = { retryMs: 1_000, maxRetryMs: 60_000 }

export type LocalJobQueue<Job> = JobQueue<Job> & {
  /** Resolves when no job waits or runs. */
  idle(): Promise<void>
  /** Drops the waiting jobs, starts no other, and resolves when the running job has ended. */
  stop(): Promise<void>
}

/**
 * Runs jobs one after another in this process, because one compaction may use all the memory it is allowed:
 * the urgent ones first, each kind in the order in which they came. A failed job is logged and tried again
 * later, after the waiting jobs. The queue is not stored on disk: the state table knows which of the lake's
 * jobs are finished, and after a crash maintenance sends the others again (core/lake/compact/maintenance.ts).
 */
export function createJobQueue<Job>(
  { run, log, isUrgent = () => false, signal }: JobQueueServices<Job>,
  settings: JobQueueSettings = DEFAULTS,
): LocalJobQueue<Job> {
  const waitingJobs: { job: Job; failures: number }[] = []
  const pauses = new Set<Promise<void>>()
  const stopping = new AbortController()
  let running: Promise<void> | null = null

  function enqueue(job: Job, failures: number): void {
    if (stopping.signal.aborted) return
    waitingJobs.push({ job, failures })
    running ??= runWaitingJobs()
  }

  async function runWaitingJobs(): Promise<void> {
    for (;;) {
      const next = stopping.signal.aborted ? undefined : takeNext()
      if (next === undefined) {
        running = null
        return
      }
      try {
        await run(next.job)
      } catch (error) {
        // No failure: the job runs again after the next start.
        if (signal?.aborted) continue
        log('JOB_FAILED', { job: next.job, failures: next.failures + 1, error: String(error) })
        retry(next.job, next.failures + 1)
      }
    }
  }

  function takeNext(): { job: Job; failures: number } | undefined {
    const urgent = waitingJobs.findIndex(({ job }) => isUrgent(job))
    return waitingJobs.splice(Math.max(0, urgent), 1)[0]
  }

  function retry(job: Job, failures: number): void {
    const ms = Math.min(settings.maxRetryMs, settings.retryMs * 2 ** (failures - 1))
    const pause = sleep(ms, undefined, { signal: stopping.signal }).then(
      () => enqueue(job, failures),
      () => {},
    )
    pauses.add(pause)
    pause.finally(() => pauses.delete(pause))
  }

  return {
    async send(job) {
      enqueue(job, 0)
    },
    async idle() {
      while (running !== null || pauses.size > 0) await (running ?? Promise.race(pauses))
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
