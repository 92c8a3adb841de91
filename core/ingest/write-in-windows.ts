import type { Clock } from '#core/ports'

export type WindowOptions = {
  clock: Pick<Clock, 'now' | 'deadline'>
  /**
   * Whether a timer of the process writes what waits. False for a process that is frozen after its response,
   * as on AWS Lambda: there a request writes what waits when the last write was a window ago.
   */
  hasTimer: boolean
  /** At most one write begins in this time, ms. */
  windowMs: number
  /** Writes all that waits. Must not reject: it keeps what could not be written. */
  write(): Promise<void>
  /** Whether something waits. */
  hasWaiting(): boolean
}

/** Writes what a process has gathered, at most once a window, so that a flood costs no write each. */
export function writeInWindows({ clock, hasTimer, windowMs, write, hasWaiting }: WindowOptions) {
  let writing: Promise<void> = Promise.resolve()
  let writtenAt = Number.NEGATIVE_INFINITY
  let isTimed = false

  /** Call it when something new waits. Never rejects. */
  async function writeSoon(): Promise<void> {
    if (hasTimer) return flushLater()
    if (clock.now() - writtenAt < windowMs) return
    writtenAt = clock.now()
    await flush()
  }

  /** The timer does not keep the process alive: whoever ends it in order calls `flush`. */
  function flushLater(): void {
    if (isTimed) return
    isTimed = true
    clock.deadline(windowMs).addEventListener('abort', async () => {
      await flush()
      isTimed = false
      if (hasWaiting()) flushLater()
    })
  }

  /** Writes what waits now. One write follows the other, so that a slow store does not get more at once. */
  function flush(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  return { writeSoon, flush }
}
