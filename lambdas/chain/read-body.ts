import type { JsonObject } from '#core/json-object'
import { MAX_BODY_BYTES } from '#schemas/routes'
import { jsonBody, payloadTooLarge } from '../json-body.ts'
import type { Exchange } from './chain.ts'

/**
 * Reads the body as JSON where the row has one; other rows ignore it, up to the same size. Throws PAYLOAD_TOO_LARGE or
 * INVALID_BODY.
 */
export function readBody({ route, request }: Exchange): { json: JsonObject } {
  if (request.body.length > MAX_BODY_BYTES) throw payloadTooLarge(MAX_BODY_BYTES)
  return { json: route.body === undefined ? {} : jsonBody(request.body) }
}
