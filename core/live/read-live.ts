import type { z } from 'zod'
import type { UserResolver } from '#core/identity/user-resolver'
import { compareCodePoints } from '#core/reports/run/code-points'
import type { liveResponse } from '#schemas/live'
import type { LiveBuffer } from './buffer.ts'
import type { LiveEvent } from './chunk.ts'
import { createSeenEvents } from './seen-events.ts'

/** Entries of the lists of a response. */
const TOP = 10
/** How often the buffer is read at most, where copies of an event_id came with and without a credential. */
const MAX_COUNTS = 3

export type LiveRequest = {
  project: { id: string; name: string }
  windowSeconds: number
  /** How many events the buffer of a project holds; older ones do not count. */
  maxEvents: number
}

export type Live = { body: z.input<typeof liveResponse>; events: number }

/**
 * GET /live (docs/api/live.md): what happened in the last seconds, by arrival. Reads the buffer from its
 * newest event back, one chunk at a time, and keeps only the counts and the newest events. So memory does not
 * grow with the traffic. The events of all ids of a person count for the final id (U48).
 */
export async function readLive(
  { buffer, users }: { buffer: LiveBuffer; users: UserResolver },
  { project, windowSeconds, maxEvents }: LiveRequest,
): Promise<Live> {
  const now = buffer.clock.now()
  const oldest = now - windowSeconds * 1_000
  /** The event_ids of events with a credential that came before a copy without one. */
  const replaced = new Set<string>()

  async function count() {
    const counts = createCounts()
    const seen = createSeenEvents(maxEvents)
    const replacedBefore = replaced.size
    const isCounted = (event: LiveEvent): boolean => {
      if (event.received_at <= oldest) return false
      if (!event.credentialed && event.event_id !== null && replaced.has(event.event_id)) return false
      if (seen.isReplacing(event)) replaced.add(event.event_id as string)
      return seen.isNew(event)
    }
    let isTruncated = false
    for await (const { events } of buffer.newestFirst(project.id, oldest)) {
      const newEvents = events.filter(isCounted)
      const room = maxEvents - counts.events
      isTruncated = newEvents.length > room
      const counted = isTruncated ? newestOf(newEvents, room) : newEvents
      for (const event of await users.resolveUsers(project.id, counted)) counts.add(event)
      if (isTruncated) break
    }
    return { counts, isTruncated, isFinal: replaced.size === replacedBefore }
  }

  let counted = await count()
  // Counts cannot be taken back, so the buffer is read again without the copies that were counted.
  for (let tries = 1; !counted.isFinal && tries < MAX_COUNTS; tries++) counted = await count()
  const { counts, isTruncated } = counted
  return {
    events: counts.events,
    body: {
      project: project.name,
      window_seconds: windowSeconds,
      timestamp: now,
      events_per_minute: Math.round(counts.events / (windowSeconds / 60)),
      ...counts.summary(),
      ...(isTruncated && { truncated: true as const }),
    },
  }
}

/** Counts the events of a window. A visitor is a user, or the session of an event without a user (U48). */
function createCounts() {
  const users = new Set<string>()
  const sessions = new Set<string>()
  const pages = new Map<string, Set<string>>()
  const names = new Map<string, number>()
  const countries = new Map<string, { visitors: Set<string>; sessions: Set<string>; events: number }>()
  let recent: LiveEvent[] = []
  let events = 0

  function add(event: LiveEvent): void {
    const { user_id, session_id, country, properties } = event
    const visitor = visitorOf(event)
    events += 1
    if (user_id !== null) users.add(user_id)
    if (session_id !== null) sessions.add(session_id)
    names.set(event.event, (names.get(event.event) ?? 0) + 1)
    const path = properties?.path
    if (typeof path === 'string' && path !== '') {
      const visitors = pages.get(path) ?? new Set()
      if (visitor !== null) visitors.add(visitor)
      pages.set(path, visitors)
    }
    if (country !== null) {
      const counts = countries.get(country) ?? { visitors: new Set(), sessions: new Set(), events: 0 }
      counts.events += 1
      if (visitor !== null) counts.visitors.add(visitor)
      if (session_id !== null) counts.sessions.add(session_id)
      countries.set(country, counts)
    }
    if (recent.length < TOP || compareArrival(event, recent.at(-1) as LiveEvent) > 0) {
      recent = newestOf([...recent, event], TOP)
    }
  }

  function summary() {
    return {
      active_visitors: users.size,
      active_sessions: sessions.size,
      top_pages: top([...pages].map(([path, visitors]) => ({ name: path, count: visitors.size })))
        .slice(0, TOP)
        .map(({ name, count }) => ({ path: name, visitors: count })),
      top_events: top([...names].map(([name, count]) => ({ name, count })))
        .slice(0, TOP)
        .map(({ name, count }) => ({ event: name, count })),
      countries: top([...countries].map(([name, counts]) => ({ name, count: counts.events, counts }))).map(
        ({ name, counts }) => ({
          country: name,
          visitors: counts.visitors.size,
          sessions: counts.sessions.size,
          events: counts.events,
        }),
      ),
      recent_events: recent.map(({ event, properties, user_id, session_id, timestamp, country }) => ({
        event,
        properties,
        user_id,
        session_id,
        timestamp,
        country,
      })),
    }
  }

  return {
    add,
    summary,
    get events() {
      return events
    },
  }
}

function visitorOf({ user_id, session_id }: LiveEvent): string | null {
  if (user_id !== null) return `user ${user_id}`
  return session_id === null ? null : `session ${session_id}`
}

/** Largest count first; equal counts by name. */
function top<T extends { name: string; count: number }>(entries: T[]): T[] {
  return entries.sort((a, b) => b.count - a.count || compareCodePoints(a.name, b.name))
}

/** The newest events, newest first. */
function newestOf(events: readonly LiveEvent[], count: number): LiveEvent[] {
  return events.toSorted((a, b) => compareArrival(b, a)).slice(0, count)
}

/**
 * Order of arrival. `seq` orders the events of one process; between two processes of the same ms any order is
 * right.
 */
export function compareArrival(
  a: Pick<LiveEvent, 'received_at' | 'seq'>,
  b: Pick<LiveEvent, 'received_at' | 'seq'>,
): number {
  return a.received_at - b.received_at || a.seq - b.seq
}
