export type FloodBudget = {
  /** Returns whether so many bytes may be recorded now, and counts them if so. */
  take(bytes: number): boolean
  /** Returns how long it takes until half of the budget is there again, ms. */
  msUntilHalf(): number
}

/**
 * Bounds what changes of a page may write: `burstBytes` at once, and `bytesPerSecond` on average. A page that
 * draws an animation by changing elements would else use up the recording within seconds. `now` is a clock in
 * ms.
 */
export function createFloodBudget(
  { burstBytes, bytesPerSecond }: { burstBytes: number; bytesPerSecond: number },
  now: () => number,
): FloodBudget {
  let left = burstBytes
  let countedAt = now()

  function refill(): void {
    const elapsedMs = Math.max(0, now() - countedAt)
    countedAt = now()
    left = Math.min(burstBytes, left + (elapsedMs / 1000) * bytesPerSecond)
  }

  return {
    take(bytes) {
      refill()
      if (bytes > left) return false
      left -= bytes
      return true
    },
    msUntilHalf() {
      refill()
      return Math.max(0, ((burstBytes / 2 - left) / bytesPerSecond) * 1000)
    },
  }
}
