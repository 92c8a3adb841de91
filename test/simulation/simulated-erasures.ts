import { createTombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { userHash } from '#core/lake/erase/tombstones'
import type { Clock } from '#core/ports'
import type { MemoryLakeState } from '#test/support/memory-lake-state'
import { encodeSimulatedTombstones, type SimulatedLake, type SimulatedRow } from './simulated-ports.ts'

/** An accepted event, as the simulator knows it. */
export type AcceptedEvent = {
  id: string
  project: string
  bucket: number
  user: string | null
  arrival: number
}

/**
 * The erasures of a schedule, and what they mean for reads. An event that came again after its erasure, and
 * was not in the lake before, may be returned or not: it may be the first of a new person. So may one that
 * came again with a credential, which is no copy of one without.
 */
export function createSimulatedErasures(state: MemoryLakeState, lake: SimulatedLake, clock: Clock) {
  const encode = encodeSimulatedTombstones
  const openWriter = () => createTombstoneWriter({ state, lake, clock, encode })
  let writer = openWriter()
  /** Ids of erased events, and those of them that may be returned. */
  const erased = new Set<string>()
  const uncertain = new Set<string>()
  let count = 0

  return {
    count: () => count,
    /** After a power cut another process takes the erasures. */
    restart() {
      writer = openWriter()
    },
    /** Erases the events of a user, or of the whole project, that arrived until now. */
    async erase(
      { project, bucket, user }: Pick<AcceptedEvent, 'project' | 'bucket' | 'user'>,
      accepted: Iterable<AcceptedEvent>,
      inLake: ReadonlySet<string>,
      now: number,
    ): Promise<void> {
      const users = user === null ? null : [userHash(user)]
      await writer.add(bucket, { project_id: project, users, until: now })
      // Another process takes the next erasures, so that not all of a time are in one batch.
      if (count % 3 === 2) writer = openWriter()
      count++
      for (const event of accepted) {
        if (event.project !== project || (user !== null && event.user !== user)) continue
        erased.add(event.id)
        if (!inLake.has(event.id)) uncertain.add(event.id)
      }
    },
    /** The ids that a read must not return, and those that it need not return. */
    hidden: (retried: ReadonlySet<string>, proven: ReadonlySet<string>) =>
      new Set([...erased].filter(id => !(uncertain.has(id) && retried.has(id)) && !proven.has(id))),
    optional: () => new Set(erased),
    isErased: (row: SimulatedRow) => erased.has(row.id),
  }
}
