import type { RecordedEvent } from '#core/ingest/record'
import { DAY_MS } from '#core/time'
import { createPicker, createRandom, type Random } from './random.ts'
import { planSessions, SESSIONS_PER_EVENT, type Session } from './sessions.ts'
import {
  type Campaign,
  countries,
  customEvents,
  type Device,
  devices,
  pages,
  sources,
} from './traffic-values.ts'

/** One request of a browser, with the events of up to five seconds. */
export type DemoRequest = {
  /** Time of arrival, Unix ms. */
  received_at: number
  country: string
  events: RecordedEvent[]
}

export type DemoTrafficSettings = {
  /** Exact number of events. */
  events: number
  /** Time of the last arrival, Unix ms. The first events happen `days` before. */
  end: number
  days?: number
  /** The same seed and settings give the same traffic. */
  seed?: number
  /** Number of different pages. */
  paths?: number
  hostname?: string
  /** Gives each event the event_id `<prefix><number>`, so the traffic can be sent again. */
  eventIdPrefix?: string
}

const HOUR_MS = 3_600_000
/**
 * Share of page views among the events after the first of a session. The first event is always a page view,
 * so 70 % of all events are page views.
 */
const LATER_PAGE_VIEW_SHARE = (0.7 - SESSIONS_PER_EVENT) / (1 - SESSIONS_PER_EVENT)
/** Share of requests that arrive hours late, as from a phone without a network or a closed laptop. */
const LATE_SHARE = 0.05
const MAX_DELAY_MS = 10 * HOUR_MS
/** The tracker sends five seconds after the first event of its queue (docs/api/tracker.md). */
const FLUSH_MS = 5_000

const pickCountry = createPicker(countries)
const pickDevice = createPicker(devices)
const pickSource = createPicker(sources.map(([source, weight], index) => [{ ...source, index }, weight]))
const pickCustom = createPicker(customEvents)

type Source = ReturnType<typeof pickSource>
type Page = { path: string; title: string }

/**
 * Generates the requests of one site in order of arrival. Users have a country and a device, and most have
 * one session. Sessions follow the rhythm of day and week, and pages follow Zipf's law. One request in twenty
 * is hours late. The result is deterministic. The memory holds a few numbers per session and the requests of
 * a few hours.
 */
export function* demoTraffic(settings: DemoTrafficSettings): Generator<DemoRequest> {
  const { events, end, days = 30, seed = 1 } = settings
  const toRequests = createSessionWriter(settings)
  /** Requests by their hour of arrival, for the hours that are not over. */
  const pending = new Map<number, DemoRequest[]>()
  let currentHour = Number.NEGATIVE_INFINITY
  let eventCount = 0

  function* arrivals(before: number): Generator<DemoRequest> {
    const pastHours = [...pending.keys()].filter(hour => hour < before).toSorted((a, b) => a - b)
    for (const hour of pastHours) {
      const requests = pending.get(hour) as DemoRequest[]
      pending.delete(hour)
      for (const request of requests.toSorted((a, b) => a.received_at - b.received_at)) {
        for (const event of request.events) {
          if (settings.eventIdPrefix !== undefined) event.event_id = settings.eventIdPrefix + eventCount
          eventCount += 1
        }
        yield request
      }
    }
  }

  for (const session of planSessions({ events, end, days, seed })) {
    const startHour = Math.floor(session.start / HOUR_MS)
    if (startHour > currentHour) {
      currentHour = startHour
      yield* arrivals(currentHour)
    }
    for (const request of toRequests(session, createRandom(seed + 1, session.index))) {
      request.received_at = Math.min(request.received_at, end)
      const arrivalHour = Math.floor(request.received_at / HOUR_MS)
      const sameHour = pending.get(arrivalHour)
      if (sameHour === undefined) pending.set(arrivalHour, [request])
      else sameHour.push(request)
    }
  }
  yield* arrivals(Number.POSITIVE_INFINITY)
}

/** Returns a function that creates the requests of a session. Call it in order of the sessions' starts. */
function createSessionWriter({ end, seed = 1, ...settings }: DemoTrafficSettings) {
  const hostname = settings.hostname ?? 'www.example.com'
  const pickPage = createPicker(sitePages(settings.paths ?? 2_000))
  /** Start and source of each user's first session, and the number of sessions so far. */
  const firstSessions = new Map<number, { start: number; source: Source; count: number }>()

  return function toRequests(session: Session, random: Random): DemoRequest[] {
    const userRandom = createRandom(seed + 2, session.user)
    const userId = `anon_${randomText(userRandom)}`
    const { country, language, timezone } = pickCountry(userRandom)
    const source = pickSource(random)
    const first = firstSessions.get(session.user) ?? { start: session.start, source, count: 0 }
    first.count += 1
    firstSessions.set(session.user, first)
    const sessionProperties = {
      ...(pickDevice(userRandom) satisfies Device),
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
        ...sessionProperties,
        ...(custom === null ? { page: page.title } : pickProperties(custom.properties, random)),
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

/** Times of a session's events: a user stays seconds or minutes on a page. All events are before the end. */
function eventTimes(session: Session, end: number, random: Random): number[] {
  const offsets = [0]
  while (offsets.length < session.events) {
    const pauseMs = 800 + Math.min(300_000, -Math.log(1 - random.next()) * 24_000)
    offsets.push((offsets.at(-1) as number) + pauseMs)
  }
  const room = end - FLUSH_MS - 1_000 - session.start
  const scale = Math.min(1, room / Math.max(1, offsets.at(-1) as number))
  return offsets.map(offset => Math.floor(session.start + offset * scale))
}

function arrivalOf(timestamp: number, end: number, random: Random): number {
  const onTime = timestamp + FLUSH_MS + 20 + random.below(400)
  const late = onTime + HOUR_MS + random.below(MAX_DELAY_MS - HOUR_MS)
  return random.next() < LATE_SHARE && late <= end ? late : onTime
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

function pickProperties(choices: Record<string, readonly (string | number)[]>, random: Random) {
  const properties: Record<string, string | number> = {}
  for (const [key, values] of Object.entries(choices)) {
    properties[key] = values[random.below(values.length)] as string | number
  }
  return properties
}

/** Returns 16 characters of base 36, like the ids of the tracker. */
function randomText(random: Random): string {
  const part = (chars: number) =>
    random
      .below(36 ** chars)
      .toString(36)
      .padStart(chars, '0')
  return part(6) + part(5) + part(5)
}
