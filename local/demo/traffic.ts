import type { RecordedEvent } from '#core/ingest/record'
import { DAY_MS } from '#core/time'
import {
  type Campaign,
  countries,
  customEvents,
  type Device,
  dayWeights,
  devices,
  hourWeights,
  pages,
  sources,
} from './profile.ts'
import { createPicker, createRandom, type Random } from './random.ts'

/** What one request of a browser carries: the events of up to five seconds. */
export type DemoRequest = {
  /** Arrival, Unix ms. */
  received_at: number
  country: string
  events: RecordedEvent[]
}

export type DemoTrafficSettings = {
  /** How many events in all, exactly. */
  events: number
  /** Unix ms at which the last of them arrive; the first happen `days` before. */
  end: number
  days?: number
  /** The same seed and settings make the same traffic. */
  seed?: number
  /** Different pages. */
  paths?: number
  hostname?: string
  /** Gives each event the event_id `<prefix><number>`, for traffic that may be sent twice. */
  eventIdPrefix?: string
}

const HOUR_MS = 3_600_000
/** Visitors and sessions an event: 400,000 and 1.5 million for 10 million events. */
const VISITORS_PER_EVENT = 0.04
const SESSIONS_PER_EVENT = 0.15
/** Visitors who may come back; the others have one visit. */
const RETURNING_SHARE = 0.35
/** Sessions of a single event. */
const SINGLE_EVENT_SHARE = 0.4
const MOST_EVENTS_A_SESSION = 90
/** With the first event of each session, which always is one, 70 % of the events are page views. */
const LATER_PAGE_VIEW_SHARE = (0.7 - SESSIONS_PER_EVENT) / (1 - SESSIONS_PER_EVENT)
/** Requests that arrive hours late: a phone without a network, a laptop that was closed. */
const LATE_SHARE = 0.05
const MOST_LATE_MS = 10 * HOUR_MS
/** The tracker sends five seconds after the first event of its queue (contract 4.6). */
const FLUSH_MS = 5_000

const pickCountry = createPicker(countries)
const pickDevice = createPicker(devices)
const pickSource = createPicker(sources.map(([source, weight], index) => [{ ...source, index }, weight]))
const pickCustom = createPicker(customEvents)

type Source = ReturnType<typeof pickSource>
type Page = { path: string; title: string }
type Session = { index: number; visitor: number; start: number; events: number }

/**
 * Traffic of one site as it would arrive, in order of arrival: visitors with their country and device, most of them
 * with one visit, sessions by the rhythm of day and week, pages by Zipf's law, campaigns, one request in twenty late
 * by hours. Deterministic; holds a few numbers a session and a few hours of requests in memory.
 */
export function* demoTraffic(settings: DemoTrafficSettings): Generator<DemoRequest> {
  const { end, seed = 1 } = settings
  const write = createSessionWriter(settings)
  const pending = new Map<number, DemoRequest[]>()
  let hour = Number.NEGATIVE_INFINITY
  let sent = 0

  function* arrivals(before: number): Generator<DemoRequest> {
    const due = [...pending.keys()].filter(slot => slot < before).toSorted((a, b) => a - b)
    for (const slot of due) {
      const requests = pending.get(slot) as DemoRequest[]
      pending.delete(slot)
      for (const request of requests.toSorted((a, b) => a.received_at - b.received_at)) {
        for (const event of request.events) {
          if (settings.eventIdPrefix !== undefined) event.event_id = settings.eventIdPrefix + sent
          sent += 1
        }
        yield request
      }
    }
  }

  for (const session of planSessions(settings)) {
    const slot = Math.floor(session.start / HOUR_MS)
    if (slot > hour) {
      hour = slot
      yield* arrivals(hour)
    }
    for (const request of write(session, createRandom(seed + 1, session.index))) {
      request.received_at = Math.min(request.received_at, end)
      const arrival = Math.floor(request.received_at / HOUR_MS)
      const sameHour = pending.get(arrival)
      if (sameHour === undefined) pending.set(arrival, [request])
      else sameHour.push(request)
    }
  }
  yield* arrivals(Number.POSITIVE_INFINITY)
}

/** Who visits when, and how many events each visit has, in order of the visits' starts. */
function* planSessions({ events, end, days = 30, seed = 1 }: DemoTrafficSettings): Generator<Session> {
  const random = createRandom(seed)
  const sessions = Math.max(1, Math.round(events * SESSIONS_PER_EVENT))
  const starts = planStarts(sessions, end, days, random)
  const visitors = planVisitors(sessions, Math.max(1, Math.round(events * VISITORS_PER_EVENT)), random)
  const sizes = planSizes(sessions, events, random)
  for (let index = 0; index < sessions; index += 1) {
    yield {
      index,
      visitor: visitors[index] as number,
      start: starts[index] as number,
      events: sizes[index] as number,
    }
  }
}

function planStarts(sessions: number, end: number, days: number, random: Random): Float64Array {
  const hours = days * 24
  const begin = end - days * DAY_MS
  const pickHour = createPicker(
    Array.from({ length: hours }, (_, hour): [number, number] => {
      const at = new Date(begin + hour * HOUR_MS)
      return [hour, (hourWeights[at.getUTCHours()] as number) * (dayWeights[at.getUTCDay()] as number)]
    }),
  )
  // The last minute stays free, so that a visit of one event has room to be sent.
  const latest = end - 60_000
  return Float64Array.from({ length: sessions }, () =>
    Math.min(latest, Math.floor(begin + (pickHour(random) + random.next()) * HOUR_MS)),
  ).sort()
}

/** The visitor of each session: everybody has one, the rest falls to those who come back, some of them often. */
function planVisitors(sessions: number, visitors: number, random: Random): Int32Array {
  const returning = Math.max(1, Math.round(visitors * RETURNING_SHARE))
  const pickReturning = createPicker(
    Array.from({ length: returning }, (_, visitor): [number, number] => [
      visitor,
      (1 - random.next()) ** -0.6,
    ]),
  )
  const planned = Int32Array.from({ length: sessions }, (_, i) => (i < visitors ? i : pickReturning(random)))
  for (let i = sessions - 1; i > 0; i -= 1) {
    const j = random.below(i + 1)
    const moved = planned[i] as number
    planned[i] = planned[j] as number
    planned[j] = moved
  }
  return planned
}

/** How many events each session has: many one, the others geometrically distributed; the sum is exact. */
function planSizes(sessions: number, events: number, random: Random): Uint8Array {
  const meanOfLonger = (events / sessions - SINGLE_EVENT_SHARE) / (1 - SINGLE_EVENT_SHARE)
  const stop = Math.log(1 - 1 / Math.max(1.01, meanOfLonger - 1))
  const sizes = Uint8Array.from({ length: sessions }, () => {
    if (random.next() < SINGLE_EVENT_SHARE) return 1
    return Math.min(MOST_EVENTS_A_SESSION, 2 + Math.floor(Math.log(1 - random.next()) / stop))
  })
  let missing = events - sizes.reduce((sum, size) => sum + size, 0)
  while (missing !== 0) {
    const at = random.below(sessions)
    const size = sizes[at] as number
    if (missing > 0 && size < 255) {
      sizes[at] = size + 1
      missing -= 1
    } else if (missing < 0 && size > 1) {
      sizes[at] = size - 1
      missing += 1
    }
  }
  return sizes
}

/** Makes the requests of sessions, which are given in order of their starts. */
function createSessionWriter({ end, seed = 1, ...settings }: DemoTrafficSettings) {
  const hostname = settings.hostname ?? 'www.example.com'
  const pickPage = createPicker(sitePages(settings.paths ?? 2_000))
  /** What the visitor's first visit was, by visitor: it never changes afterwards. */
  const firstVisits = new Map<number, { start: number; source: Source; count: number }>()

  return function write(session: Session, random: Random): DemoRequest[] {
    const who = createRandom(seed + 2, session.visitor)
    const userId = `anon_${randomText(who)}`
    const { country, language, timezone } = pickCountry(who)
    const source = pickSource(random)
    const first = firstVisits.get(session.visitor) ?? { start: session.start, source, count: 0 }
    first.count += 1
    firstVisits.set(session.visitor, first)
    const fixed = {
      ...(pickDevice(who) satisfies Device),
      language,
      timezone,
      session_count: first.count,
      days_since_first_visit: Math.floor((session.start - first.start) / DAY_MS),
      ...source.campaign,
      ...firstTouch(first.source.campaign),
    }
    const sessionId = `sess_${randomText(random)}`
    const requests: DemoRequest[] = []
    let request: DemoRequest | undefined
    let page = pickPage(random)
    let referrer = source.referrer
    for (const [i, timestamp] of eventTimes(session, end, random).entries()) {
      const isView = i === 0 || random.next() < LATER_PAGE_VIEW_SHARE
      if (isView && i > 0) {
        referrer = `https://${hostname}${page.path}`
        page = pickPage(random)
      }
      const custom = isView ? null : pickCustom(random)
      const properties = {
        url: `https://${hostname}${page.path}`,
        path: page.path,
        hostname,
        title: page.title,
        referrer,
        ...fixed,
        ...(custom === null ? { page: page.title } : pickValues(custom.properties, random)),
      }
      const opened = request?.events[0]?.timestamp ?? Number.NEGATIVE_INFINITY
      if (request === undefined || timestamp - opened >= FLUSH_MS) {
        request = { received_at: arrivalOf(timestamp, end, random), country, events: [] }
        requests.push(request)
      }
      const event = custom?.event ?? 'page_view'
      request.events.push({
        event,
        properties,
        user_id: userId,
        session_id: sessionId,
        timestamp,
        event_id: null,
      })
    }
    return requests
  }
}

/** Times of a session's events: some seconds on a page, sometimes minutes; all of them before the end. */
function eventTimes(session: Session, end: number, random: Random): number[] {
  const offsets = [0]
  while (offsets.length < session.events) {
    const gap = 800 + Math.min(300_000, -Math.log(1 - random.next()) * 24_000)
    offsets.push((offsets.at(-1) as number) + gap)
  }
  const room = end - FLUSH_MS - 1_000 - session.start
  const scale = Math.min(1, room / Math.max(1, offsets.at(-1) as number))
  return offsets.map(offset => Math.floor(session.start + offset * scale))
}

function arrivalOf(timestamp: number, end: number, random: Random): number {
  const sent = timestamp + FLUSH_MS + 20 + random.below(400)
  const late = sent + HOUR_MS + random.below(MOST_LATE_MS - HOUR_MS)
  return random.next() < LATE_SHARE && late <= end ? late : sent
}

function sitePages(count: number): (readonly [Page, number])[] {
  return Array.from({ length: count }, (_, rank) => {
    const path = pages[rank] ?? `/blog/article-${rank - pages.length + 1}`
    const words = path.split(/[/-]/).filter(word => word !== '')
    const title =
      words.length === 0 ? 'Home' : words.map(word => word[0]?.toUpperCase() + word.slice(1)).join(' ')
    return [{ path, title: `${title} | Example` }, 1 / (rank + 1)] as const
  })
}

function firstTouch(campaign: Campaign | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(campaign ?? {}).map(([key, value]) => [`first_${key}`, value]))
}

function pickValues(choices: Record<string, readonly (string | number)[]>, random: Random) {
  const picked: Record<string, string | number> = {}
  for (const [key, values] of Object.entries(choices)) {
    picked[key] = values[random.below(values.length)] as string | number
  }
  return picked
}

/** 16 characters of base 36, as the tracker makes them. */
function randomText(random: Random): string {
  const part = (chars: number) =>
    random
      .below(36 ** chars)
      .toString(36)
      .padStart(chars, '0')
  return part(6) + part(5) + part(5)
}
