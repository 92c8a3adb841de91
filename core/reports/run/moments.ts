import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { Now } from '#core/ports'

/** What a read sees: the lake at one time. */
export type Moment = {
  /** Unix ms. */
  now: number
  /** Reads with the same object see the same files, and share equal statements. */
  lake: LakeSnapshot
  /**
   * Every event that arrived before this Unix ms is in the lake; null: only the snapshot tells how new it is.
   */
  freshUntil: number | null
}

export type MomentServices = {
  openLake(): Promise<LakeSnapshot>
  clock: Now
  freshUntil?: (() => Promise<number | null>) | undefined
}

/** How old a moment may be when another read joins it, ms. */
const MAX_AGE_MS = 500

/**
 * Reads that run at the same time share a moment, so that equal questions have equal statements and the
 * engine runs them once. A read joins only while another read of the moment still runs: a caller who waits
 * for a response before the next request always sees the newest events.
 */
export function createMoments({ openLake, clock, freshUntil }: MomentServices) {
  let current: { openedAt: number; moment: Promise<Moment>; readers: number } | null = null

  async function open(now: number): Promise<Moment> {
    // Freshness comes first: the lake is then at least as new.
    const until = (await freshUntil?.()) ?? null
    return { now, lake: await openLake(), freshUntil: until }
  }

  /** Runs the work with the current moment. */
  return async function share<T>(work: (moment: Moment) => Promise<T>): Promise<T> {
    const now = clock.now()
    if (current === null || current.readers === 0 || now - current.openedAt > MAX_AGE_MS) {
      current = { openedAt: now, moment: open(now), readers: 0 }
    }
    const joined = current
    joined.readers++
    try {
      return await work(await joined.moment)
    } finally {
      joined.readers--
    }
  }
}
