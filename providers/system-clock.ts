import { setTimeout } from 'node:timers/promises'
import type { Clock } from '#core/ports'

/** Timers of a JavaScript engine hold 31 bits of ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The clock of the machine, for every deployment. */
export const systemClock: Clock = {
  now: Date.now,
  async sleep(ms, signal) {
    try {
      await setTimeout(Math.min(ms, LONGEST_TIMER_MS), undefined, signal && { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
  deadline: ms => AbortSignal.timeout(ms),
}
