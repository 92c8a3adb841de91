export type Subscription<T> = {
  /**
   * Resolves with the events since the last call, in the order of arrival. Waits for the first one, or for
   * `wake`.
   */
  next(): Promise<T[]>
  /** Ends the wait of `next`, or of its next call, without events. */
  wake(): void
  /** Whether events were dropped, because the caller takes them too slowly. */
  hasOverflowed(): boolean
  /** Resolves when nothing is read any more for this subscription. The state may be closed then. */
  close(): Promise<void>
}

/**
 * Keeps events until a stream takes them. Beyond `maxWaitingBytes` it drops them all: the stream ends, and
 * its client gets them after its last event when it connects again. So a client that does not read costs
 * little memory.
 */
export function createSubscriber<T extends { block: Uint8Array }>(maxWaitingBytes: number) {
  let waiting: T[] = []
  let waitingBytes = 0
  let isOverflowing = false
  let woken = Promise.withResolvers<void>()

  return {
    put(events: readonly T[]): void {
      if (isOverflowing) return
      waiting.push(...events)
      waitingBytes += events.reduce((sum, { block }) => sum + block.length, 0)
      if (waitingBytes > maxWaitingBytes) {
        isOverflowing = true
        waiting = []
      }
      woken.resolve()
    },
    wake: () => woken.resolve(),
    hasOverflowed: () => isOverflowing,
    async next(): Promise<T[]> {
      await woken.promise
      woken = Promise.withResolvers()
      const events = waiting
      waiting = []
      waitingBytes = 0
      return events
    },
  }
}
