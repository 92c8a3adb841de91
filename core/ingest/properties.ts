import { ApiError } from '#core/errors'
import { isJsonObject, type JsonObject } from '#core/text/json-object'
import { EVENT_LIMITS } from '#schemas/event'
import { fieldName } from './field-name.ts'

const EMAIL = /email/i

/** Whether a JSON text may have a key that contains `email`. */
export function namesEmail(text: string): boolean {
  return EMAIL.test(text)
}

/**
 * Properties as JSON in UTF-8, as JSON.stringify writes them, with at most EVENT_LIMITS.propertiesBytes and
 * without lone surrogates.
 */
export class WrittenProperties {
  readonly utf8: Uint8Array

  constructor(utf8: Uint8Array) {
    this.utf8 = utf8
  }
}

/**
 * Writes the properties of an event as the JSON text that is stored; null when there are none. The size limit
 * counts the properties as sent (docs/api/ingestion.md). After that check, keys that contain `email` are
 * removed at every depth, and lone surrogates become U+FFFD (R3). `label` names the item in messages. Throws
 * INVALID_PROPERTIES.
 */
export function propertiesJson(sent: unknown, label: string): string | Uint8Array | null {
  if (sent === undefined || sent === null) return null
  if (sent instanceof WrittenProperties) {
    const text = Buffer.from(sent.utf8.buffer, sent.utf8.byteOffset, sent.utf8.length)
    // ASCII is the same in Latin-1, which is faster decoded.
    return namesEmail(text.toString('latin1'))
      ? propertiesJson(JSON.parse(text.toString()), label)
      : sent.utf8
  }
  if (!isJsonObject(sent)) {
    throw new ApiError(
      'INVALID_PROPERTIES',
      `${fieldName('properties', label)} is not an object. Send an object or null.`,
    )
  }
  const text = jsonWithoutEmails(sent, EVENT_LIMITS.propertiesBytes)
  if (text === null) {
    throw new ApiError(
      'INVALID_PROPERTIES',
      `${fieldName('properties', label)} has more than ${EVENT_LIMITS.propertiesBytes} bytes as JSON. Send fewer.`,
    )
  }
  return text
}

/**
 * Writes an object as JSON without the keys that contain `email`; null if the object as sent has more than
 * `maxBytes`, at least 2. Changes the object in place.
 */
export function jsonWithoutEmails(sent: JsonObject, maxBytes: number): string | null {
  const text = unlessTooDeep(() => JSON.stringify(sent))
  if (text === null) return null
  // A code unit takes at most three bytes of UTF-8, so a short text needs no count.
  if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes) return null
  if (!namesEmail(text)) return replaceLoneSurrogates(text)
  removeEmailKeys(sent)
  return replaceLoneSurrogates(JSON.stringify(sent))
}

/**
 * Null for a value that is too deep for the stack: it is over the limit too, as each level has two bytes or
 * more.
 */
export function unlessTooDeep(write: () => string): string | null {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return null
  }
}

/**
 * Deletes every key that contains `email`, in upper or lower case. Changes the value in place; nobody else
 * uses it. It does not call itself: 4,000 calls inside each other take most of the stack.
 */
function removeEmailKeys(sent: JsonObject): void {
  const waiting: unknown[] = [sent]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    const object = value as JsonObject
    for (const key of Object.keys(object)) {
      const inner = object[key]
      if (namesEmail(key) && !Array.isArray(value)) delete object[key]
      else if (typeof inner === 'object' && inner !== null) waiting.push(inner)
    }
  }
}

/**
 * Replaces lone surrogates, in keys and values, by U+FFFD. JSON.stringify writes only lone surrogates as the
 * escapes \ud800 to \udfff, so the text shows them all. The second alternative of the pattern skips other
 * escapes.
 */
export function replaceLoneSurrogates(jsonText: string): string {
  if (!jsonText.includes('\\ud')) return jsonText
  return jsonText.replace(/\\(ud[0-9a-f]{3}|.)/g, (sequence, name: string) =>
    name.length > 1 ? '\ufffd' : sequence,
  )
}
