import { ApiError } from '#core/errors'
import type { JsonObject } from '#core/text/json-object'
import { EVENT_ID_PATTERN, EVENT_LIMITS } from '#schemas/event'
import { addDevice, type DeviceHeaders } from './device.ts'
import { fieldName } from './field-name.ts'
import type { EventJson } from './record.ts'
import { type SentEvent, writeEvent } from './write-event.ts'

/** A checked event as it is stored. */
export type WrittenEvent = { json: EventJson; event_id: string | null }

/**
 * Reads one item that arrived at `now` (Unix ms), by the rules of docs/api/ingestion.md. null counts as
 * absent (R2). An empty id is a valid id. Fractions of a millisecond are cut off after the bounds are
 * checked. `label` names the item in messages: `events[3]`, or an empty text. `headers` describe the device
 * (U137). Throws MISSING_FIELDS, INVALID_EVENT, INVALID_PROPERTIES or INVALID_TIMESTAMP.
 */
export function parseItem(
  item: JsonObject,
  label: string,
  now: number,
  headers: DeviceHeaders,
): WrittenEvent {
  const event: SentEvent = {
    event: parseName(item.event, label),
    user_id: parseId(item.user_id, 'user_id', label),
    session_id: parseId(item.session_id, 'session_id', label),
    event_id: parseEventId(item.event_id, label),
    timestamp: parseTime(item, label, now),
    properties: addDevice(item.properties ?? null, headers),
  }
  return { json: writeEvent(event, label), event_id: event.event_id }
}

function parseName(sent: unknown, label: string): string {
  if (sent === undefined || sent === null || sent === '') {
    throw new ApiError(
      'MISSING_FIELDS',
      `${fieldName('event', label)} is missing. Send the name of the event in 1 to ${EVENT_LIMITS.nameChars} characters.`,
    )
  }
  return parseText(sent, 'event', EVENT_LIMITS.nameChars, label)
}

function parseId(sent: unknown, field: string, label: string): string | null {
  return sent === undefined || sent === null ? null : parseText(sent, field, EVENT_LIMITS.idChars, label)
}

function parseText(sent: unknown, field: string, maxChars: number, label: string): string {
  if (typeof sent !== 'string') {
    throw new ApiError('INVALID_EVENT', `${fieldName(field, label)} is not a string. Send a string.`)
  }
  if (sent.length > maxChars) {
    throw new ApiError(
      'INVALID_EVENT',
      `${fieldName(field, label)} has ${sent.length} characters. Send at most ${maxChars}.`,
    )
  }
  return sent
}

function parseEventId(sent: unknown, label: string): string | null {
  if (sent === undefined || sent === null) return null
  if (typeof sent !== 'string' || !EVENT_ID_PATTERN.test(sent)) {
    throw new ApiError(
      'INVALID_EVENT',
      `${fieldName('event_id', label)} is not valid. Send 1 to 64 characters of A-Z, a-z, 0-9, \`_\` and \`-\`.`,
    )
  }
  return sent
}

/** The time of an event: `timestamp` by the clock of the sender, or `age` before the arrival (U109). */
function parseTime({ timestamp, age }: JsonObject, label: string, now: number): number {
  if (age === undefined || age === null) return parseTimestamp(timestamp, label, now)
  if (timestamp !== undefined && timestamp !== null) {
    throw new ApiError(
      'INVALID_TIMESTAMP',
      `${fieldName('age', label)} and \`timestamp\` both say when. Send one of them.`,
    )
  }
  if (typeof age === 'number' && age >= 0 && age <= EVENT_LIMITS.pastMs) return Math.floor(now - age)
  throw new ApiError(
    'INVALID_TIMESTAMP',
    `${fieldName('age', label)} is not valid. Send how many milliseconds ago it happened, 0 to ${EVENT_LIMITS.pastMs}.`,
  )
}

function parseTimestamp(sent: unknown, label: string, now: number): number {
  if (sent === undefined || sent === null) return now
  if (typeof sent !== 'number') {
    throw new ApiError(
      'INVALID_TIMESTAMP',
      `${fieldName('timestamp', label)} is not a number. Send Unix milliseconds, or leave it out.`,
    )
  }
  const earliest = now - EVENT_LIMITS.pastMs
  const latest = now + EVENT_LIMITS.futureMs
  // The negation also refuses numbers that are not finite.
  if (!(sent >= earliest && sent <= latest)) {
    throw new ApiError(
      'INVALID_TIMESTAMP',
      `${fieldName('timestamp', label)} is too old or too far ahead. ` +
        `Send a time from 30 days ago to 5 minutes ahead: ${earliest} to ${latest} (Unix milliseconds).`,
    )
  }
  return Math.floor(sent)
}
