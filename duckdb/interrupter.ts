import type { DuckDBConnection } from '@duckdb/node-api'

/** DuckDB ignores an interrupt before the statement has started, so the interrupt is repeated. */
const INTERRUPT_EVERY_MS = 20

export type Interrupter = {
  isTimedOut(): boolean
  /**
   * Ends the interrupts. Returns whether there were any: one may still come late, so the connection must be
   * closed.
   */
  end(): boolean
}

/** Interrupts the statements that run on the connection from when the signal aborts, or after `ms`. */
export function startInterrupter(
  connection: DuckDBConnection,
  signal: AbortSignal,
  ms?: number,
): Interrupter {
  let isTimedOut = false
  let repetition: NodeJS.Timeout | undefined
  const interrupt = (): void => {
    repetition ??= setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS)
    connection.interrupt()
  }
  const interruptLate = (): void => {
    isTimedOut = true
    interrupt()
  }
  const timer = ms === undefined ? undefined : setTimeout(interruptLate, ms)
  signal.addEventListener('abort', interrupt)
  return {
    isTimedOut: () => isTimedOut,
    end() {
      clearTimeout(timer)
      clearInterval(repetition)
      signal.removeEventListener('abort', interrupt)
      return repetition !== undefined
    },
  }
}
