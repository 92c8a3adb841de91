import { Worker } from 'node:worker_threads'
import type { Log } from '#core/ports'
import type { LogCode } from '#schemas/log'

/** What the thread needs to know; its connections it opens itself. */
export type PipelineStart = {
  dataDir: string
  stateEndpoint: string
  compactionMemoryMb: number
  epochMs: number
  retentionMs: number
}

export type PipelineMessage =
  | { kind: 'started' }
  | { kind: 'log'; code: LogCode; fields: Record<string, unknown> }

export type PipelineCommand = { kind: 'stop' } | { kind: 'repair'; key: string }

export type PipelineThread = {
  /** Has a damaged object of the lake made anew, soon. */
  repair(key: string): void

  /** Lets the step at hand end, then ends the thread; a long compaction is cut off, and is done again after the next start. */
  stop(): Promise<void>
}

/** How long a stop waits for the step at hand. */
const STOP_WITHIN_MS = 5_000
/**
 * Room for new objects, MB. With V8's default a thread that has made files keeps 100 MB more for ever, as an idle
 * one is not collected.
 */
const YOUNG_MB = 12
/** Pause before a thread that has crashed is started again. */
const RESTART_MS = 1_000

/**
 * Runs the pipeline (local/pipeline/pipeline.ts) in a thread of its own, so that writing Parquet never holds up a request.
 * Resolves when it works. A thread that crashes is logged and started again: whatever it had begun is done again.
 */
export async function startPipeline(start: PipelineStart, log: Log): Promise<PipelineThread> {
  let stopping = false
  let restart: NodeJS.Timeout | undefined
  let thread = startThread()
  await thread.started

  function startThread() {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: start,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const started = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    let failure: Error | null = null
    worker.on('message', (message: PipelineMessage) => {
      if (message.kind === 'log') log(message.code, message.fields)
      else started.resolve()
    })
    worker.on('error', error => {
      failure = error
    })
    worker.on('exit', () => {
      const error = failure ?? new Error('the pipeline has ended')
      started.reject(error)
      ended.resolve()
      if (stopping) return
      log('LAKE_BATCH_FAILED', { error: String(error), restart: true })
      restart = setTimeout(() => {
        thread = startThread()
        thread.started.catch(() => {})
      }, RESTART_MS)
    })
    return { worker, started: started.promise, ended: ended.promise }
  }

  const command = (what: PipelineCommand) => thread.worker.postMessage(what)

  return {
    repair: key => command({ kind: 'repair', key }),
    async stop() {
      stopping = true
      clearTimeout(restart)
      const { worker, ended } = thread
      command({ kind: 'stop' })
      const late = setTimeout(() => worker.terminate(), STOP_WITHIN_MS)
      await ended
      clearTimeout(late)
    },
  }
}
