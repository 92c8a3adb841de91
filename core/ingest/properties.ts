import { ApiError } from '#core/errors'
import { isJsonObject, type JsonObject } from '#core/json-object'
import { EVENT_LIMITS } from '#schemas/event'

/**
 * The JSON text of an event's properties as they are stored, or null when there are none. It is written once, here:
 * its size is checked on what JSON.stringify writes of what was sent (contract 1.1), then keys that contain `email`
 * go, at every depth, and lone surrogates become U+FFFD (contract R3).
 * `where` begins the message. Throws INVALID_PROPERTIES.
 */
export function storedProperties(sent: unknown, where: string): string | null {
  if (sent === undefined || sent === null) return null
  if (!isJsonObject(sent)) {
    throw new ApiError('INVALID_PROPERTIES', `${where}\`properties\` must be an object or null`)
  }
  const text = stringify(sent)
  // No text has more bytes than three for each of its code units, so most sizes need no counting.
  const size = text.length * 3 <= EVENT_LIMITS.propertiesBytes ? 0 : Buffer.byteLength(text)
  if (size > EVENT_LIMITS.propertiesBytes) {
    throw new ApiError(
      'INVALID_PROPERTIES',
      `${where}\`properties\` has ${Number.isFinite(size) ? size : 'too many'} bytes as JSON; ` +
        `at most ${EVENT_LIMITS.propertiesBytes} are taken`,
    )
  }
  if (!/email/i.test(text)) return wellFormed(text)
  removeEmailKeys(sent)
  return wellFormed(JSON.stringify(sent))
}

/** A value too deep for JSON.stringify's stack is far above the limit: each level costs two bytes or more. */
function stringify(sent: JsonObject): string {
  try {
    return JSON.stringify(sent)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return ' '.repeat(EVENT_LIMITS.propertiesBytes + 1)
  }
}

/** Deletes every key that contains `email` in any case, in place: the parsed body is nobody else's. */
function removeEmailKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) removeEmailKeys(item)
    return
  }
  const object = value as JsonObject
  for (const key of Object.keys(object)) {
    if (/email/i.test(key)) delete object[key]
    else removeEmailKeys(object[key])
  }
}

/**
 * JSON.stringify writes a lone surrogate, of a key or a value, as the escape \ud800 to \udfff and every other
 * character of that range as itself; so it is enough to look at the text. `\\.` steps over other escapes.
 */
function wellFormed(jsonText: string): string {
  if (!jsonText.includes('\\ud')) return jsonText
  return jsonText.replace(/\\(ud[0-9a-f]{3}|.)/g, (written, name: string) =>
    name.length > 1 ? '\ufffd' : written,
  )
}
