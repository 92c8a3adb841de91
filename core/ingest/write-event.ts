import { isJsonObject } from '#core/text/json-object'
import { EVENT_LIMITS } from '#schemas/event'
import {
  namesEmail,
  propertiesJson,
  replaceLoneSurrogates,
  unlessTooDeep,
  WrittenProperties,
} from './properties.ts'
import { type EventJson, eventJson, type RecordedEvent } from './record.ts'

/** An event whose properties are not checked yet. Its texts may have lone surrogates. */
export type SentEvent = Omit<RecordedEvent, 'properties'> & { properties: unknown }

/**
 * Writes an event for its record, with its properties by the rules of propertiesJson. Lone surrogates become
 * U+FFFD (R3). `label` names the item in messages. Throws INVALID_PROPERTIES.
 */
export function writeEvent(event: SentEvent, label: string): EventJson {
  return writeAtOnce(event) ?? writeInParts(event, propertiesJson(event.properties, label))
}

/**
 * Writes an event with one call of JSON.stringify, which is faster than a call for each field. Null for an
 * event whose properties must be looked at alone: wide ones, wrong ones, and those that may have e-mail keys.
 */
function writeAtOnce(event: SentEvent): string | null {
  const { properties } = event
  if (!(properties === null || isJsonObject(properties)) || properties instanceof WrittenProperties)
    return null
  const text = unlessTooDeep(() => eventJson(event))
  // A code unit takes at most three bytes of UTF-8, so the properties in a short text are below the limit.
  if (text === null || text.length * 3 > EVENT_LIMITS.propertiesBytes || namesEmail(text)) return null
  return replaceLoneSurrogates(text)
}

function writeInParts(
  { event, user_id, session_id, timestamp, event_id }: SentEvent,
  properties: string | Uint8Array | null,
): EventJson {
  const others = JSON.stringify({ user_id, session_id, timestamp, event_id })
  const before = replaceLoneSurrogates(`{"event":${JSON.stringify(event)},"properties":`)
  const after = replaceLoneSurrogates(`,${others.slice(1)}`)
  return properties instanceof Uint8Array ? [before, properties, after] : `${before}${properties}${after}`
}
