import type { Now } from '#core/ports'

/**
 * Unpacked bytes of records in a second from which on a project is busy: about 4,000 events. The lake takes
 * them in in 50 ms.
 */
export const BUSY_BYTES = 2_000_000
/** A project stays busy for this time after such a second, ms. */
export const STAYS_BUSY_MS = 10_000
const SECOND_MS = 1_000

/**
 * Tells which projects send so much that other projects would wait for them. It remembers the projects of the
 * current second, and the busy ones of the last ten seconds: no more than the machine takes at BUSY_BYTES
 * each.
 */
export function createBusyProjects(clock: Now) {
  const bytesOf = new Map<string, number>()
  const busyUntil = new Map<string, number>()
  let secondAt = 0

  function startSecond(now: number): void {
    secondAt = now
    bytesOf.clear()
    for (const [project, until] of busyUntil) if (until <= now) busyUntil.delete(project)
  }

  return {
    /** Counts the bytes that a project sends now. Returns whether it is busy. */
    take(project: string, bytes: number): boolean {
      const now = clock.now()
      // Also after a clock was set back.
      if (Math.abs(now - secondAt) >= SECOND_MS) startSecond(now)
      const taken = (bytesOf.get(project) ?? 0) + bytes
      bytesOf.set(project, taken)
      if (taken > BUSY_BYTES) busyUntil.set(project, now + STAYS_BUSY_MS)
      return busyUntil.has(project)
    },
    /** The projects that it remembers. */
    size: () => Math.max(bytesOf.size, busyUntil.size),
  }
}
