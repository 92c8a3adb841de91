import type { Condition, Leaf } from '#schemas/conditions'
import {
  eventsOf,
  firstDate,
  isInRange,
  localTime,
  type OracleRequest,
  shiftDate,
  startOfDate,
} from './common.ts'
import { fieldOf, matches } from './matches.ts'
import type { SentEvent } from './sent-event.ts'
import { oracleSessionList } from './sessions.ts'
import { askedOf, oracleSource } from './sources.ts'
import { isTrait, type TraitsOf, traitOf } from './traits.ts'

/** docs/api/conditions.md, computed from its words. */

type Subject = Pick<SentEvent, 'session_id' | 'user_id'> & { event: SentEvent | null }
const SESSION_FIELDS = [
  ...['entry_page', 'exit_page', 'is_bounce', 'duration', 'channel', 'source', 'referrer_host'],
]
type Value = Parameters<typeof matches>[2]

function toNumbers(op: string, value: unknown): unknown {
  if (op === 'exists') return value
  return Array.isArray(value) ? value.map(Number) : Number(value)
}

/** What a condition is true for, among the events of a request. `traitsOf`: what is known of a user. */
export function oracleConditions(
  events: readonly SentEvent[],
  request: OracleRequest,
  traitsOf: TraitsOf = () => ({}),
) {
  const stored = eventsOf(events, request)
  const own = stored.filter(event => isInRange(event.timestamp, request))
  const sessions = new Map(oracleSessionList(events, request).map(session => [session.id, session]))
  const subjectOf = (event: SentEvent): Subject => ({ ...event, event })

  function passes(condition: Condition, subject: Subject): boolean {
    if ('and' in condition) return condition.and.every(each => passes(each, subject))
    if ('or' in condition) return condition.or.some(each => passes(each, subject))
    if ('not' in condition) return !passes(condition.not, subject)
    if ('session' in condition) return ofSame('session_id', condition.session, subject)
    if ('person' in condition) return ofSame('user_id', condition.person, subject)
    if ('did' in condition) {
      const { event: name, where, at_least = 1, within } = condition.did
      const from = within === undefined ? Number.NEGATIVE_INFINITY : startWithin(within)
      const seen =
        within === undefined
          ? own
          : stored.filter(({ timestamp }) => timestamp >= from && isBeforeEnd(timestamp))
      const done = seen.filter(
        event =>
          subject.user_id !== null &&
          event.user_id === subject.user_id &&
          event.event === name &&
          (where === undefined || passes(where, subjectOf(event))),
      )
      return done.length >= at_least
    }
    return passesLeaf(condition, subject)
  }

  function ofSame(id: 'session_id' | 'user_id', condition: Condition, subject: Subject): boolean {
    return (
      subject[id] !== null &&
      own.some(event => event[id] === subject[id] && passes(condition, subjectOf(event)))
    )
  }

  function passesLeaf({ field, op, value }: Leaf, { session_id, user_id, event }: Subject): boolean {
    if (isTrait(field))
      return matches(user_id === null ? null : traitOf(traitsOf(user_id), field), op, value as Value)
    if (field === 'is_new') return event !== null && matches(isNew(event), op, toNumbers(op, value) as Value)
    if (!SESSION_FIELDS.includes(field))
      return event !== null && matches(fieldOf(event, field, request.tz), op, value as Value)
    const session = sessions.get(session_id ?? '')
    // A session that did not start in the range has none of these fields.
    if (session === undefined || session_id === null) return false
    const values = {
      ...oracleSource(askedOf(session), { hosts: [], rules: [] }),
      entry_page: session.entryPage,
      exit_page: session.exitPage,
      is_bounce: Number(session.isBounce),
      duration: session.end - session.start,
    }
    return matches(
      values[field as keyof typeof values],
      op,
      typeof value === 'boolean' && field === 'is_bounce' && op !== 'exists'
        ? Number(value)
        : (value as Value),
    )
  }

  /** 1 for a new person, 0 for others; null for an event without a user. */
  function isNew({ user_id }: SentEvent): number | null {
    if (user_id === null) return null
    const isEarlier = (event: SentEvent) => event.user_id === user_id && isBeforeStart(event.timestamp)
    return Number(!stored.some(isEarlier))
  }

  function isBeforeStart(ms: number): boolean {
    return localTime(ms, request.tz).date < firstDate(request)
  }

  function isBeforeEnd(ms: number): boolean {
    return isInRange(ms, { ...request, since: '3650d' })
  }

  function startWithin(within: string): number {
    const last =
      request.until === undefined
        ? localTime(request.now, request.tz).date
        : shiftDate(localTime(request.now, request.tz).date, -Number.parseInt(request.until, 10))
    return startOfDate(shiftDate(last, -Number.parseInt(within, 10)), request.tz)
  }

  /** Whether nothing in the condition is about a single event. */
  function isOfEntities(condition: Condition): boolean {
    if ('and' in condition) return condition.and.every(isOfEntities)
    if ('or' in condition) return condition.or.every(isOfEntities)
    if ('not' in condition) return isOfEntities(condition.not)
    return !('field' in condition) || SESSION_FIELDS.includes(condition.field) || isTrait(condition.field)
  }

  const passing = (condition: Condition) => own.filter(event => passes(condition, subjectOf(event)))
  return {
    /** The events of the range that pass. */
    passing,
    /** All events of the sessions of reports about sessions. */
    ofSessions(condition: Condition): SentEvent[] {
      const ids = isOfEntities(condition)
        ? [...sessions.values()]
            .filter(({ id, user }) => passes(condition, { session_id: id, user_id: user, event: null }))
            .map(({ id }) => id)
        : passing(condition).map(({ session_id }) => session_id)
      return events.filter(({ session_id }) => session_id !== null && ids.includes(session_id))
    },
    /** The people with an event that passes. */
    people(condition: Condition): Set<string> {
      return new Set(passing(condition).flatMap(({ user_id }) => user_id ?? []))
    },
    /** All events of the sessions, or of the people, that have an event which passes. */
    ofUnits(condition: Condition, id: 'session_id' | 'user_id'): SentEvent[] {
      const ids = new Set(passing(condition).map(event => event[id]))
      return events.filter(event => event[id] !== null && ids.has(event[id]))
    },
  }
}
