import { ApiError } from '#core/errors'
import { isJsonObject, type JsonObject } from '#core/text/json-object'
import { parseExactJson } from '#schemas/exact-json'
import { excessOf, MAX_JSON_DEPTH, MAX_JSON_VALUES } from '#schemas/json-depth'
import { MAX_BODY_BYTES, type Route } from '#schemas/route'

/** Throws on bytes that are not UTF-8. Skips a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body of a request as a JSON object, whatever its content type is (R1). Throws PAYLOAD_TOO_LARGE
 * over the limit of bytes, and INVALID_BODY for an empty body or a body that is not UTF-8, not JSON, not an
 * object, too deep, or has too many values (R3). The last two are known before the body is parsed.
 */
export function jsonBody(
  bytes: Uint8Array,
  {
    maxBodyBytes = MAX_BODY_BYTES,
    maxBodyDepth = MAX_JSON_DEPTH,
    maxBodyValues = MAX_JSON_VALUES,
  }: Pick<Route, 'maxBodyBytes' | 'maxBodyDepth' | 'maxBodyValues'> = {},
): JsonObject {
  if (bytes.length > maxBodyBytes) throw payloadTooLarge(maxBodyBytes)
  if (bytes.length === 0) throw new ApiError('INVALID_BODY', 'The body is empty. Send a JSON object.')
  const excess = excessOf(bytes, { levels: maxBodyDepth, values: maxBodyValues })
  if (excess === 'values') throw tooManyValues(maxBodyValues)
  if (excess === 'levels') {
    throw new ApiError(
      'INVALID_BODY',
      `The body has more than ${maxBodyDepth} objects and lists inside each other. Send flatter JSON.`,
    )
  }
  const body = parse(bytes)
  if (!isJsonObject(body))
    throw new ApiError('INVALID_BODY', 'The body is not a JSON object. Send a JSON object.')
  return body
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(utf8.decode(bytes))
  } catch (cause) {
    const message =
      cause instanceof SyntaxError
        ? 'The body is not valid JSON. Send a JSON object.'
        : 'The body is not UTF-8. Send JSON in UTF-8.'
    throw new ApiError('INVALID_BODY', message, { cause })
  }
}

/** The error for a body with more values, or fields of a form, than are checked. */
export function tooManyValues(max: number): ApiError {
  return new ApiError(
    'INVALID_BODY',
    `The body has more than ${max} values. Send fewer fields, and shorter lists.`,
  )
}

/**
 * The error for a body over the limit. The server of one machine throws it before it has read the whole body.
 */
export function payloadTooLarge(maxBytes: number): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The body has more than ${maxBytes} bytes. Send less, or split the request.`,
  )
}
