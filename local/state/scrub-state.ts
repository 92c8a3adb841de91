import { Worker } from 'node:worker_threads'
import { execArgv } from '#local/thread-options'

/** Memory of the thread for objects of JavaScript, MB. It holds the keys of one step. */
const HEAP_MB = 64

/**
 * Scrubs the state in a thread of its own (`scrub` of item-file.ts). A step takes some ms, but SQLite waits
 * for the disk after every few steps: then no events and no requests wait with it. Rejects when the scrub
 * fails, and when the signal ends it; a later scrub goes on.
 */
export function scrubState(path: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./scrub-thread.ts', import.meta.url), {
      workerData: path,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 4 },
      execArgv,
    })
    const end = () => void worker.terminate()
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    worker.once('error', reject)
    worker.once('exit', code => {
      signal.removeEventListener('abort', end)
      if (code === 0 && !signal.aborted) resolve()
      else reject(new Error('The thread that scrubs the state was ended.'))
    })
  })
}
