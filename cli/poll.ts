import { CommandError } from './errors.ts'
import type { Session } from './run-context.ts'

/**
 * Calls `ask` until it returns a result. Returns null if there is none before `deadline` (Unix ms). A
 * retryable problem, such as a service that restarts, does not end the wait: the user reads it once, and the
 * next call comes after `pauseMs`, or after the time that the service asks for. Throws all other errors.
 */
export async function pollUntil<T>(
  { io: { clock }, say }: Pick<Session, 'io' | 'say'>,
  ask: () => Promise<T | null>,
  pauseMs: number,
  deadline: number,
): Promise<T | null> {
  let said: string | null = null
  for (;;) {
    let pause = pauseMs
    try {
      const result = await ask()
      if (result !== null) return result
      said = null
    } catch (error) {
      if (!(error instanceof CommandError) || !error.problem.retryable) throw error
      const { error: code, message, retry_after_seconds = 0 } = error.problem
      pause = Math.max(pauseMs, retry_after_seconds * 1_000)
      if (said !== code) say(`${message} The wait goes on.`)
      said = code
    }
    if (clock.now() + pause > deadline) return null
    await clock.sleep(pause)
  }
}
