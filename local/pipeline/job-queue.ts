import { setTimeout as sleep } from 'node:timers/promises'
import type { JobQueue, Log } from '#core/ports'

export type JobQueueServices<Job> = {
  run(job: Job): Promise<void>
  log: Log
}

export type JobQueueSettings = {
  /** Pauses before a failed job is tried again, ms: doubled each time between these bounds. */
  retryMs: number
  maxRetryMs: number
}

const DEFAULTS: JobQueueSettings = { retryMs: 1_000, maxRetryMs: 60_000 }

export type LocalJobQueue<Job> = JobQueue<Job> & {
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>
  /** Starts nothing any more and resolves when the running job has ended; what waits is dropped. */
  stop(): Promise<void>
}

/**
 * Runs jobs one after another in this process, as compaction uses all the memory it is given. A failed job is logged
 * and tried again later, after those that wait. Nothing is kept on disk: the state table knows which of the lake's
 * jobs are finished, and maintenance sends again what a dead process has left (core/lake/maintenance.ts).
 */
export function createJobQueue<Job>(
  { run, log }: JobQueueServices<Job>,
  settings: JobQueueSettings = DEFAULTS,
): LocalJobQueue<Job> {
  const waiting: { job: Job; failures: number }[] = []
  const pauses = new Set<Promise<void>>()
  const stopping = new AbortController()
  let working: Promise<void> | null = null

  function enqueue(job: Job, failures: number): void {
    if (stopping.signal.aborted) return
    waiting.push({ job, failures })
    working ??= work()
  }

  async function work(): Promise<void> {
    for (;;) {
      const next = stopping.signal.aborted ? undefined : waiting.shift()
      if (next === undefined) {
        working = null
        return
      }
      try {
        await run(next.job)
      } catch (error) {
        log('JOB_FAILED', { job: next.job, failures: next.failures + 1, error: String(error) })
        retry(next.job, next.failures + 1)
      }
    }
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
      while (working !== null || pauses.size > 0) await (working ?? Promise.race(pauses))
    },
    async stop() {
      stopping.abort()
      await working
    },
  }
}
