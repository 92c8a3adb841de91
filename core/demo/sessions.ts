import { DAY_MS } from '#core/time'
import { createPicker, createRandom, type Random } from './random.ts'
import { dayWeights, hourWeights } from './traffic-values.ts'

export type Session = {
  /** Number of the session, in order of the starts. */
  index: number
  /** Number of the user. */
  user: number
  /** Time of the first event, Unix ms. */
  start: number
  /** Number of events. */
  events: number
}

export type SessionSettings = {
  /** Exact number of events of all sessions. */
  events: number
  /** Time of the last arrival, Unix ms. */
  end: number
  days: number
  seed: number
}

const HOUR_MS = 3_600_000
/** Users and sessions per event: 400,000 users and 1.5 million sessions for 10 million events. */
const USERS_PER_EVENT = 0.04
export const SESSIONS_PER_EVENT = 0.15
/** Share of users who may have several sessions. The others have one. */
const RETURNING_SHARE = 0.35
/** Share of sessions that have a single event. */
const SINGLE_EVENT_SHARE = 0.4
const MAX_SESSION_EVENTS = 90

/** Plans the user, the start and the number of events of each session, in order of the starts. */
export function* planSessions({ events, end, days, seed }: SessionSettings): Generator<Session> {
  const random = createRandom(seed)
  const sessions = Math.max(1, Math.round(events * SESSIONS_PER_EVENT))
  const starts = planStarts(sessions, end, days, random)
  const users = planUsers(sessions, Math.max(1, Math.round(events * USERS_PER_EVENT)), random)
  const sizes = planSizes(sessions, events, random)
  for (let index = 0; index < sessions; index += 1) {
    yield {
      index,
      user: users[index] as number,
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
  // No session starts in the last minute, so that its first request can still arrive before the end.
  const latest = end - 60_000
  return Float64Array.from({ length: sessions }, () =>
    Math.min(latest, Math.floor(begin + (pickHour(random) + random.next()) * HOUR_MS)),
  ).sort()
}

/**
 * Plans the user of each session. Every user has one session; the other sessions go to returning users, to
 * some of them often.
 */
function planUsers(sessions: number, users: number, random: Random): Int32Array {
  const returning = Math.max(1, Math.round(users * RETURNING_SHARE))
  const pickReturning = createPicker(
    Array.from({ length: returning }, (_, user): [number, number] => [user, (1 - random.next()) ** -0.6]),
  )
  const planned = Int32Array.from({ length: sessions }, (_, i) => (i < users ? i : pickReturning(random)))
  for (let i = sessions - 1; i > 0; i -= 1) {
    const j = random.below(i + 1)
    const user = planned[i] as number
    planned[i] = planned[j] as number
    planned[j] = user
  }
  return planned
}

/**
 * Plans the number of events of each session: one for many, geometrically distributed for the others. The sum
 * is exact.
 */
function planSizes(sessions: number, events: number, random: Random): Uint8Array {
  const meanOfLonger = (events / sessions - SINGLE_EVENT_SHARE) / (1 - SINGLE_EVENT_SHARE)
  const stop = Math.log(1 - 1 / Math.max(1.01, meanOfLonger - 1))
  const sizes = Uint8Array.from({ length: sessions }, () => {
    if (random.next() < SINGLE_EVENT_SHARE) return 1
    return Math.min(MAX_SESSION_EVENTS, 2 + Math.floor(Math.log(1 - random.next()) / stop))
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
