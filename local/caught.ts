import { errorText } from '#core/errors'
import type { Log } from '#core/ports'

/**
 * Makes a task safe for a timer: what it throws, or rejects with, is logged as TIMER_FAILED. Otherwise such
 * an error would end the process, and tasks fail for reasons that pass, such as a limit of open files. `name`
 * says in the log which task it was.
 */
export function caught(log: Log, name: string, task: () => unknown): () => Promise<void> {
  return async () => {
    try {
      await task()
    } catch (error) {
      log('TIMER_FAILED', { timer: name, error: errorText(error) })
    }
  }
}
