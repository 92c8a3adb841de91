/** The concurrent executions of the account, as far as requests of the API need them. */
export type ExecutionCap = {
  /** Leaves only this many executions for requests; Infinity: as many as come. */
  leave(executions: number): void
  /** Takes an execution until the returned function is called. Null when none is left. */
  take(): (() => void) | null
  /** Number of requests that found none since the last `leave`. */
  refused(): number
}

/**
 * Plays the concurrent executions of a small account, which the emulator does not limit. A new account has
 * ten, and consumers, workers and open streams hold some of them all the time.
 */
export function createExecutionCap(): ExecutionCap {
  let left = Number.POSITIVE_INFINITY
  let running = 0
  let refused = 0
  return {
    leave(executions) {
      left = executions
      refused = 0
    },
    take() {
      if (running >= left) {
        refused += 1
        return null
      }
      running += 1
      let isTaken = true
      return () => {
        if (isTaken) running -= 1
        isTaken = false
      }
    },
    refused: () => refused,
  }
}
