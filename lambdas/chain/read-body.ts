import type { JsonObject } from '#core/json-object'
import { jsonBody, payloadTooLarge } from '#lambdas/json-body'
import { MAX_BODY_BYTES } from '#schemas/route'
import type { Exchange } from './chain.ts'

/**
 * Reads the body as JSON where the row has one, and as a form where the row takes forms; other rows ignore
 * it, up to the same size. An empty one has no fields where the row allows that. Throws PAYLOAD_TOO_LARGE or
 * INVALID_BODY.
 */
export function readBody({ route, request: { body, headers } }: Exchange): { json: JsonObject } {
  const max = route.maxBodyBytes ?? MAX_BODY_BYTES
  if (body.length > max) throw payloadTooLarge(max)
  if (route.body === undefined || (route.emptyBody && body.length === 0)) return { json: {} }
  if (route.form === true) {
    if (body.length === 0) return { json: {} }
    // Some clients send JSON under the type of forms (R1).
    if (FORM.test(headers['content-type'] ?? '') && body[0] !== OPENING_BRACE) {
      return { json: Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body))) }
    }
  }
  return { json: jsonBody(body, route) }
}

const OPENING_BRACE = 0x7b
const FORM = /^application\/x-www-form-urlencoded\b/i
