import { ApiError } from '#core/errors'
import type { JsonObject } from '#core/json-object'
import { EVENT_ID_PATTERN, EVENT_LIMITS } from '#schemas/event'
import { storedProperties } from './properties.ts'

/** One event that keeps to every rule of contract 1.1, ready for a record. */
export type CheckedEvent = {
  event: string
  /** JSON text of the properties, or null. */
  propertiesJson: string | null
  user_id: string | null
  session_id: string | null
  /** Unix ms, whole. */
  timestamp: number
  event_id: string | null
}

/**
 * Checks one item that arrived at `now` (Unix ms). null is absent (contract R2). An empty id is an id like any other;
 * a fraction of a millisecond is cut off after the bounds have been checked.
 * `name` stands before the field in messages: `events[3]`, or nothing.
 * Throws MISSING_FIELDS, INVALID_EVENT, INVALID_PROPERTIES or INVALID_TIMESTAMP.
 */
export function checkItem(item: JsonObject, name: string, now: number): CheckedEvent {
  const where = name === '' ? '' : `${name}: `
  return {
    event: eventName(item.event, where),
    user_id: id(item.user_id, 'user_id', where),
    session_id: id(item.session_id, 'session_id', where),
    event_id: eventId(item.event_id, where),
    timestamp: timestamp(item.timestamp, where, now),
    propertiesJson: storedProperties(item.properties, where),
  }
}

function eventName(sent: unknown, where: string): string {
  if (sent === undefined || sent === null || sent === '') {
    throw new ApiError(
      'MISSING_FIELDS',
      `${where}\`event\` is missing; name the event in 1 to 256 characters`,
    )
  }
  return text(sent, 'event', EVENT_LIMITS.nameChars, where)
}

function id(sent: unknown, field: string, where: string): string | null {
  return sent === undefined || sent === null ? null : text(sent, field, EVENT_LIMITS.idChars, where)
}

function text(sent: unknown, field: string, maxChars: number, where: string): string {
  if (typeof sent !== 'string') throw new ApiError('INVALID_EVENT', `${where}\`${field}\` must be a string`)
  if (sent.length > maxChars) {
    throw new ApiError(
      'INVALID_EVENT',
      `${where}\`${field}\` has ${sent.length} characters; at most ${maxChars} are taken`,
    )
  }
  return sent.toWellFormed()
}

function eventId(sent: unknown, where: string): string | null {
  if (sent === undefined || sent === null) return null
  if (typeof sent !== 'string' || !EVENT_ID_PATTERN.test(sent)) {
    throw new ApiError('INVALID_EVENT', `${where}\`event_id\` must be 1 to 64 characters of A-Z a-z 0-9 _ -`)
  }
  return sent
}

function timestamp(sent: unknown, where: string, now: number): number {
  if (sent === undefined || sent === null) return now
  if (typeof sent !== 'number') {
    throw new ApiError('INVALID_TIMESTAMP', `${where}\`timestamp\` must be a number of Unix milliseconds`)
  }
  const earliest = now - EVENT_LIMITS.pastMs
  const latest = now + EVENT_LIMITS.futureMs
  // Written so that what is no finite number is refused too.
  if (!(sent >= earliest && sent <= latest)) {
    throw new ApiError(
      'INVALID_TIMESTAMP',
      `${where}\`timestamp\` must lie from 30 days ago to 5 minutes ahead: ${earliest} to ${latest} (Unix ms)`,
    )
  }
  return Math.floor(sent)
}
