import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Log } from '#core/ports'
import { caught } from './caught.ts'

/** Time between two looks at the load of the thread, ms. */
const LOOK_MS = 5_000
/** A thread is idle if less than this part of the time was work. */
const IDLE_PART = 0.02
/** By so much the memory has changed before it is freed again, bytes. */
const GARBAGE_BYTES = 8_000_000

export type CollectOptions = {
  log: Log
  lookMs?: number
  /**
   * The memory that is watched, bytes. Default: the heap of this thread. The memory of the process also
   * changes when another thread has collected; what that has freed goes back too.
   */
  memory?: () => number
  /** Runs after a collection. */
  afterwards?: () => Promise<void>
}

/**
 * Frees what this thread no longer uses whenever it becomes idle. V8 collects garbage only while a program
 * allocates. Without this, a thread that has worked keeps twice the memory that it uses for as long as it is
 * idle. A collection takes about 100 ms.
 */
export function collectWhenIdle({
  log,
  lookMs = LOOK_MS,
  memory = () => process.memoryUsage().heapTotal,
  afterwards = async () => {},
}: CollectOptions): void {
  setFlagsFromString('--expose-gc')
  const collect: (options: object) => void = runInNewContext('gc')
  let before = performance.eventLoopUtilization()
  let last = 0
  const look = async () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > IDLE_PART || Math.abs(memory() - last) < GARBAGE_BYTES) return
    // The flavor also gives back pages that V8 would keep for the next work.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await afterwards().catch(() => {})
    last = memory()
    before = performance.eventLoopUtilization()
  }
  // The system does not say how much memory there is when no more files can be opened.
  setInterval(caught(log, 'garbage', look), lookMs).unref()
}
