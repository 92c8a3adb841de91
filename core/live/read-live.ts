import type { z } from 'zod'
import type { UserResolver } from '#core/identity/user-resolver'
import { compareCodePoints } from '#core/reports/run/code-points'
import type { liveResponse } from '#schemas/live'
import { LATE_MS, type LiveBuffer } from './buffer.ts'
import type { LiveEvent } from './chunk.ts'
import { createSeenEvents } from './seen-events.ts'

/** Entries of the lists of a response. */
const TOP = 10
/** Events of a response that goes on after a cursor: it is read for the events, every few seconds. */
const SHOWN_AFTER = 100
/**
 * An event that is older than this when it arrives tells of the past, and of nobody who is there now (U121),
 * ms.
 */
const PAST_MS = 300_000
/** How often the buffer is read at most, where copies of an event_id came with and without a credential. */
const MAX_COUNTS = 3

export type LiveRequest = {
  project: { id: string; name: string }
  /** The last seconds, or what became readable after the cursor of an earlier answer. */
  window: { seconds: number } | { after: string }
  /** How many events the buffer of a project holds; older ones do not count. */
  maxEvents: number
  /** How many bytes of JSON of them. At least one chunk is read, which has about a megabyte at most. */
  maxBytes: number
}

/** What an answer is read from. */
export type LiveSource = {
  buffer: Pick<LiveBuffer, 'newestFirst' | 'clock' | 'bufferMs'>
  users: Pick<UserResolver, 'resolveUsers'>
}

export type Live = { body: Omit<z.input<typeof liveResponse>, 'follow'>; events: number }

/**
 * GET /live (docs/api/live.md): what happened in the last seconds, by arrival. Reads the buffer from its
 * newest event back, one chunk at a time, and keeps only the counts and the newest events. So memory does not
 * grow with the traffic. The events of all ids of a person count for the final id (U48).
 *
 * After a cursor it reads only the chunks that were written since. Those of the last two seconds wait for the
 * next answer, because a chunk may become readable late. So each chunk is in one answer.
 */
export async function readLive(
  { buffer, users }: LiveSource,
  { project, window, maxEvents, maxBytes }: LiveRequest,
): Promise<Live> {
  const now = buffer.clock.now()
  const { bufferMs } = buffer
  const { stamps, oldest, end, seconds, cursor, shown } = boundsOf(window, { now, bufferMs })
  /** The event_ids of events with a credential that came before a copy without one. */
  const replaced = new Set<string>()

  async function count() {
    const counts = createCounts(shown)
    const seen = createSeenEvents(maxEvents)
    const replacedBefore = replaced.size
    const isCounted = (event: LiveEvent): boolean => {
      if (event.received_at <= oldest) return false
      if (!event.credentialed && event.event_id !== null && replaced.has(event.event_id)) return false
      if (seen.isReplacing(event)) replaced.add(event.event_id as string)
      return seen.isNew(event)
    }
    let isTruncated = false
    let readBytes = 0
    for await (const { stamp, events, bytes } of buffer.newestFirst(project.id, stamps.from)) {
      isTruncated = readBytes > 0 && readBytes + bytes > maxBytes
      if (isTruncated) break
      readBytes += bytes
      if (stamp > stamps.until) continue
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
      window_seconds: seconds,
      timestamp: end,
      events_per_minute: Math.round(counts.events / (seconds / 60)),
      ...counts.summary(),
      cursor: String(cursor),
      ...(isTruncated && { truncated: true as const }),
    },
  }
}

/** What an answer covers: the stamps of its chunks, the arrival of its events, and how many it shows. */
function boundsOf(window: LiveRequest['window'], { now, bufferMs }: { now: number; bufferMs: number }) {
  const settled = now - LATE_MS
  if ('seconds' in window) {
    const { seconds } = window
    const oldest = now - seconds * 1_000
    const stamps = { from: oldest, until: Number.POSITIVE_INFINITY }
    return { stamps, oldest, end: now, seconds, cursor: settled, shown: TOP }
  }
  const oldest = now - bufferMs
  // A cursor of the future comes from nowhere: nothing is after it.
  const after = Math.min(Math.max(Number(window.after), oldest), now)
  // Another process may be ahead: then this answer is empty, and its cursor does not go back.
  const end = Math.max(after, settled)
  const seconds = Math.max(1, Math.round((end - after) / 1_000))
  return { stamps: { from: after + 1, until: end }, oldest, end, seconds, cursor: end, shown: SHOWN_AFTER }
}

/**
 * Counts the events of a window. A visitor is a user, or the session of an event without a user (U48). Events
 * of the past count as events alone (U121).
 */
function createCounts(shown: number) {
  const users = new Set<string>()
  const sessions = new Set<string>()
  const pages = new Map<string, Set<string>>()
  const names = new Map<string, number>()
  const countries = new Map<string, { visitors: Set<string>; sessions: Set<string>; events: number }>()
  let recent: LiveEvent[] = []
  let events = 0
  let past = 0

  function add(event: LiveEvent): void {
    events += 1
    names.set(event.event, (names.get(event.event) ?? 0) + 1)
    if (event.received_at - event.timestamp > PAST_MS) past += 1
    else addVisit(event)
    if (recent.length < shown || compareArrival(event, recent.at(-1) as LiveEvent) > 0) {
      recent = newestOf([...recent, event], shown)
    }
  }

  function addVisit(event: LiveEvent): void {
    const { user_id, session_id, country, properties } = event
    const visitor = visitorOf(event)
    if (user_id !== null) users.add(user_id)
    if (session_id !== null) sessions.add(session_id)
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
  }

  function summary() {
    return {
      active_visitors: users.size,
      active_sessions: sessions.size,
      past_events: past,
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
      recent_events: recent.map(({ id, event, properties, user_id, session_id, timestamp, country }) => ({
        id,
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
