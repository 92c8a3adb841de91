import { forEachConcurrent } from '#core/async/concurrency'
import type { Clock } from '#core/ports'
import { hourOf, type RefusalStore, type Refused } from '#core/usage/refusal-store'
import type { RefusalReason } from '#schemas/refusals'
import { writeInWindows } from './write-in-windows.ts'

export type RefusalCountsServices = {
  store: Pick<RefusalStore, 'add'>
  clock: Pick<Clock, 'now' | 'deadline'>
  /** As in WindowOptions. */
  hasTimer: boolean
}

/** One request whose events were not stored. */
export type Refusal = { reason: RefusalReason; events: number; last: string | null }

/**
 * A process writes one item of a project at most so often, ms. On AWS a project whose sender is refused all
 * the time costs each busy instance 12 writes a minute, whatever the sender does. On one machine a person who
 * waits for a first event sees within two seconds why it was not stored.
 */
const WINDOW_MS = { ofRequests: 5_000, ofTimer: 1_000 }
/**
 * Projects and hours that wait: 8 reasons of 500 bytes for each are 4 MB. What does not fit is not counted.
 */
const MAX_WAITING = 1_000
const CONCURRENCY = 8

/** What waits of one project and hour. */
type Waiting = { projectId: string; hour: number; refused: Map<RefusalReason, Refused> }

/**
 * Gathers what ingestion refuses of each project (U113). Only requests with the token of a live project
 * count, so nobody can make keys up.
 */
export function createRefusalCounts({ store, clock, hasTimer }: RefusalCountsServices) {
  let waiting = new Map<string, Waiting>()
  const windows = writeInWindows({
    clock,
    hasTimer,
    write,
    windowMs: hasTimer ? WINDOW_MS.ofTimer : WINDOW_MS.ofRequests,
    hasWaiting: () => waiting.size > 0,
  })

  /** Counts one request. Never rejects. A killed process loses what came within a window. */
  async function count(projectId: string, { reason, events, last }: Refusal): Promise<void> {
    add(projectId, hourOf(clock.now()), reason, { events, at: clock.now(), last })
    await windows.writeSoon()
  }

  function add(projectId: string, hour: number, reason: RefusalReason, { events, at, last }: Refused): void {
    const key = `${projectId} ${hour}`
    let group = waiting.get(key)
    if (group === undefined) {
      if (waiting.size >= MAX_WAITING) return
      group = { projectId, hour, refused: new Map() }
      waiting.set(key, group)
    }
    const before = group.refused.get(reason)
    const newest = before !== undefined && before.at > at ? before : { at, last }
    group.refused.set(reason, { at: newest.at, last: newest.last, events: (before?.events ?? 0) + events })
  }

  async function write(): Promise<void> {
    const groups = [...waiting.values()].toSorted((a, b) => a.hour - b.hour)
    waiting = new Map()
    await forEachConcurrent(groups, CONCURRENCY, async ({ projectId, hour, refused }) => {
      await store.add(projectId, hour, refused).catch(() => {
        // The table is away. What was refused meanwhile comes with the next write.
        for (const [reason, one] of refused) add(projectId, hour, reason, one)
      })
    })
  }

  /** Resolves when what was counted before is written, or could not be written. */
  return { count, flush: windows.flush }
}

export type RefusalCounts = ReturnType<typeof createRefusalCounts>
