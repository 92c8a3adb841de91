import type { IdentityFold } from '#core/identity/fold/fold'
import type { Now } from '#core/ports'

/** How often the feed looks for work that came without an identify request, such as an erasure, ms. */
const LOOK_MS = 5_000

/**
 * Runs the fold soon after a claim that had identify requests, and at the start: the process before may have
 * ended between a claim and its fold. The thread calls `fold` again and again, so the fold runs about once a
 * second at most, and never twice at a time.
 */
export function createIdentityFeed({ run, isDue }: IdentityFold & { isDue(): Promise<boolean> }, clock: Now) {
  let isAwake = true
  let lookedAt = Number.NEGATIVE_INFINITY

  function wake(): void {
    isAwake = true
  }

  async function fold(): Promise<void> {
    if (!isAwake && clock.now() - lookedAt < LOOK_MS) return
    lookedAt = clock.now()
    if (!isAwake && !(await isDue())) return
    isAwake = false
    try {
      await run()
    } catch (error) {
      isAwake = true
      throw error
    }
  }

  return { wake, fold }
}

export type IdentityFeed = ReturnType<typeof createIdentityFeed>
