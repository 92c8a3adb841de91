import { parseWideBody } from '#core/ingest/wide-body'
import type { JsonObject } from '#core/text/json-object'
import type { Exchange } from '#lambdas/chain/chain'
import { readBody } from '#lambdas/chain/read-body'
import { MAX_BODY_BYTES } from '#schemas/route'
import { unpackBody } from './unpack-body.ts'

/** Reads the body of an events request like readBody, but unpacks it and keeps wide properties as text. */
export function readTrackBody(packed: Exchange): { json: JsonObject } {
  const exchange = unpackBody(packed)
  const { route, request } = exchange
  const isTooLarge = request.body.length > (route.maxBodyBytes ?? MAX_BODY_BYTES)
  const json = isTooLarge ? null : parseWideBody(request.body)
  return json === null ? readBody(exchange) : { json }
}
