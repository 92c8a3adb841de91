import { parseWideBody } from '#core/ingest/wide-body'
import type { JsonObject } from '#core/text/json-object'
import type { Exchange } from '#lambdas/chain/chain'
import { readBody } from '#lambdas/chain/read-body'
import { MAX_BODY_BYTES } from '#schemas/route'

/** Reads the body of an events request like readBody, but keeps wide properties as text. */
export function readTrackBody(exchange: Exchange): { json: JsonObject } {
  const { route, request } = exchange
  const isTooLarge = request.body.length > (route.maxBodyBytes ?? MAX_BODY_BYTES)
  const json = isTooLarge ? null : parseWideBody(request.body)
  return json === null ? readBody(exchange) : { json }
}
