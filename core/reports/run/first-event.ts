import QuickLRU from 'quick-lru'
import type { LakeRead } from '#core/lake/read/lake-read'
import { eventCounts, events } from '#core/lake/read/relations'
import type { Now } from '#core/ports'
import { sql, unixMs } from '#core/sql/sql'
import { DAY_MS } from '#core/time'
import type { UsageCounters } from '#core/usage/counters'
import type { ReadRows } from './statements.ts'

/** Unix ms of the first event of a project; null without events. */
export type FirstEvent = number | null

/** Returns the first event of a project. `read` finds it in the lake, where the counters do not have it. */
export type FirstEvents = (projectId: string, read: () => Promise<FirstEvent>) => Promise<FirstEvent>

/** How long a first event counts, ms: a late event may be earlier. */
const KNOWN_MS = 60_000
/** Projects whose first event a process knows. */
const MAX_PROJECTS = 10_000

/**
 * Knows the first events of projects by the counters of accepted events, so that a read needs no statement
 * for it. The lake says it of a project whose first events are older than these counters, and of one that was
 * not filled by requests. Remembers it, because it hardly changes. That a project has none is not remembered.
 */
export function createFirstEvents(clock: Now, usage?: Pick<UsageCounters, 'totals'>): FirstEvents {
  const known = new QuickLRU<string, { at: number; readAt: number }>({ maxSize: MAX_PROJECTS })
  return async function firstEventOf(projectId, read) {
    const cached = known.get(projectId)
    const now = clock.now()
    if (cached !== undefined && now - cached.readAt < KNOWN_MS) return cached.at
    const [totals] = (await usage?.totals([projectId])) ?? []
    const at = totals?.times?.first ?? (await read())
    if (at === null) known.delete(projectId)
    else known.set(projectId, { at, readAt: now })
    return at
  }
}

/**
 * Reads the first event of a project from the lake. A first statement finds its UTC date in the rollup, a
 * second one its time, because the date in another zone follows from it. `read`: of all that the caller may
 * see.
 */
export async function readFirstEvent(rows: ReadRows, read: LakeRead): Promise<FirstEvent> {
  const { segments, hot } = read.snapshot
  if (segments.length === 0 && hot.length === 0) return null
  const [dated] = await rows(
    sql`SELECT date_diff('day', DATE '1970-01-01', min(date)) AS day FROM ${eventCounts(read)} AS first_event_count`,
  )
  const day = dated?.day ?? null
  if (day === null) return null
  const from = Math.max(read.from, Number(day) * DAY_MS)
  const ofDate = events({ ...read, from, to: (Number(day) + 1) * DAY_MS }, ['timestamp'])
  const [first] = await rows(
    sql`SELECT ${unixMs(sql`min(timestamp)`)} AS first_at FROM ${ofDate} AS first_event_time`,
  )
  const at = first?.first_at ?? null
  return at === null ? null : Number(at)
}
