import { Worker } from 'node:worker_threads'
import { errorText } from '#core/errors'
import type { ChunkFeed } from '#core/live/new-chunks'
import type { Log } from '#core/ports'
import { caught } from '#local/caught'
import { execArgv } from '#local/thread-options'
import type { LogCode } from '#schemas/log'
import { createFeedReceiver, type FeedMessage, type FollowCommand } from './chunk-feed.ts'

/** Settings for the thread. It opens its own connections. */
export type PipelineStart = {
  dataDir: string
  compactionMemoryMb: number
  epochMs: number
  retentionMs: number
  liveBufferMs: number
  queryTimeoutMs: number
}

export type PipelineMessage =
  | { kind: 'started' }
  | { kind: 'log'; code: LogCode; fields: Record<string, unknown> }
  | FeedMessage

export type PipelineCommand =
  /** `cutOffMs`: the running job is interrupted if it takes longer than this, ms. */
  { kind: 'stop'; cutOffMs: number } | { kind: 'repair'; key: string } | FollowCommand

export type PipelineThread = {
  /** Resolves when the pipeline runs. */
  started: Promise<void>
  /** Requests the repair of a damaged object of the lake. */
  repair(key: string): void
  /** Brings the new chunks of the live buffer to open streams. */
  feed: ChunkFeed
  /**
   * Ends the thread after its current steps. A long compaction is cut off, and runs again after the next
   * start.
   */
  stop(): Promise<void>
  /** Like `stop`, but cuts off the running job at once. */
  halt(): Promise<void>
}

/** Time that the running job has after `stop` before it is cut off: at most as long as an epoch. */
const CUT_OFF_MS = 5_000
/**
 * Ends a thread that hangs, this long after its job was cut off. A DuckDB statement must not run then: its
 * result cannot be passed to a thread that has ended, and the process would abort.
 */
const HANG_MS = 20_000
/**
 * Memory of the thread for new objects, MB. With V8's default the thread would keep about 100 MB after it has
 * written files, because V8 does not collect garbage in an idle thread.
 */
const YOUNG_MB = 12
/** Pause before a crashed thread is started again. */
const RESTART_MS = 1_000

/**
 * Starts the pipeline in its own thread (local/pipeline/thread.ts), so writing Parquet files never delays a
 * request. When the thread crashes, this is logged and the thread is started again. It then repeats any step
 * that was not finished.
 */
export function startPipeline(start: PipelineStart, log: Log): PipelineThread {
  let isStopping = false
  let restart: NodeJS.Timeout | undefined
  const send = (command: PipelineCommand) => thread.worker.postMessage(command)
  const feed = createFeedReceiver(send)
  let thread = startThread()

  function startThread() {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: start,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      execArgv,
    })
    const started = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    let failure: Error | null = null
    worker.on('message', (message: PipelineMessage) => {
      if (message.kind === 'log') log(message.code, message.fields)
      else if (message.kind === 'started') started.resolve()
      else feed.receive(message)
    })
    worker.on('error', error => {
      failure = error
    })
    worker.on('exit', () => {
      const error = failure ?? new Error('The pipeline thread has ended.')
      started.reject(error)
      ended.resolve()
      if (isStopping) return
      log('LAKE_BATCH_FAILED', { error: errorText(error), restart: true })
      restartLater()
    })
    return { worker, started: started.promise, ended: ended.promise }
  }

  function restartLater(): void {
    restart = setTimeout(caught(log, 'restart of the pipeline', begin), RESTART_MS)
  }

  function begin(): void {
    try {
      thread = startThread()
    } catch (error) {
      // The system may refuse another thread for a while.
      restartLater()
      throw error
    }
    // Messages wait until the thread reads them.
    feed.restart()
    thread.started.catch(() => {})
  }

  async function end(cutOffMs: number): Promise<void> {
    isStopping = true
    clearTimeout(restart)
    const { worker, ended } = thread
    send({ kind: 'stop', cutOffMs })
    const deadline = setTimeout(() => worker.terminate(), cutOffMs + HANG_MS)
    await ended
    clearTimeout(deadline)
  }

  return {
    started: thread.started,
    repair: key => send({ kind: 'repair', key }),
    feed,
    stop: () => end(Math.min(CUT_OFF_MS, start.epochMs)),
    halt: () => end(0),
  }
}
