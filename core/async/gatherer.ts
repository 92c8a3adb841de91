import type { Clock } from '#core/ports'

export type GathererOptions<T> = {
  /** Writes entries together. Must not throw: nobody waits for the entries any more. */
  write(entries: readonly T[]): Promise<void>
  /**
   * How long an entry waits for others, ms. 0: it is written at once, for a process that is frozen after its
   * response.
   */
  waitMs: number
  /** So many entries are written without a further wait. */
  maxEntries: number
  clock: Pick<Clock, 'deadline'>
}

export type Gatherer<T> = {
  /** Resolves when the entry is written, or at once where entries wait for others. */
  add(entry: T): Promise<void>
  /** Resolves when all entries that were added before are written. */
  flush(): Promise<void>
}

/**
 * Gathers small writes of one process, so that many of them cost one request. A killed process loses those
 * that wait.
 */
export function createGatherer<T>({ write, waitMs, maxEntries, clock }: GathererOptions<T>): Gatherer<T> {
  let waiting: T[] = []
  let writing: Promise<void> = Promise.resolve()
  let isTimed = false

  async function add(entry: T): Promise<void> {
    if (waitMs === 0) return write([entry])
    waiting.push(entry)
    if (waiting.length >= maxEntries) void flush()
    else if (!isTimed) flushLater()
  }

  function flushLater(): void {
    isTimed = true
    // The timer does not keep the process alive: whoever ends it in order calls `flush`.
    clock.deadline(waitMs).addEventListener('abort', () => {
      isTimed = false
      void flush()
    })
  }

  /** One write follows the other, so that a slow table does not get more and more of them at once. */
  function flush(): Promise<void> {
    if (waiting.length === 0) return writing
    const entries = waiting
    waiting = []
    writing = writing.then(() => write(entries))
    return writing
  }

  return { add, flush }
}
