import { ApiError } from '#core/errors'
import { isJsonObject, type JsonObject } from '#core/json-object'
import { MAX_BODY_BYTES } from '#schemas/routes'

/** Throws on bytes that are not UTF-8; a byte order mark at the start is skipped. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * A request's body as a JSON object, whatever its content type is (contract R1). Throws PAYLOAD_TOO_LARGE over
 * `maxBytes` and INVALID_BODY for no body, other bytes than UTF-8, other text than JSON (R3) and other JSON than an
 * object.
 */
export function jsonBody(bytes: Uint8Array, maxBytes: number = MAX_BODY_BYTES): JsonObject {
  if (bytes.length > maxBytes) throw payloadTooLarge(maxBytes)
  if (bytes.length === 0) throw new ApiError('INVALID_BODY', 'the body is empty; send a JSON object')
  const body = parse(bytes)
  if (!isJsonObject(body)) throw new ApiError('INVALID_BODY', 'the body must be a JSON object')
  return body
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    const message =
      cause instanceof SyntaxError ? 'the body is not valid JSON' : 'the body is not encoded in UTF-8'
    throw new ApiError('INVALID_BODY', message, { cause })
  }
}

/** The error of a body over the limit; the local front throws it before it has read the whole body. */
export function payloadTooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `the body may have up to ${maxBytes} bytes`)
}
