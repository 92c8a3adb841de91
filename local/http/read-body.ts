import type { IncomingMessage } from 'node:http'
import { ApiError, unavailable } from '#core/errors'
import { payloadTooLarge } from '#lambdas/http/json-body'
import { MAX_BODY_BYTES } from '#schemas/route'
import { RETRY_SECONDS } from './admission.ts'
import type { BodyRates } from './body-rates.ts'

export type ReadBodyServices = {
  /** Takes room for bytes of the body, or returns false if there is none. */
  takeBytes(bytes: number): boolean
  rates: BodyRates
}

const NO_BODY = new Uint8Array(0)
/**
 * A refused body is read and thrown away up to this size, because most clients read the response only after
 * they have sent the body.
 */
const DISCARDED_BYTES = 8 * MAX_BODY_BYTES
const TOO_SLOW =
  'The body arrived too slowly, with less than 10 KB in 10 seconds. Send the request again, in smaller parts if needed.'
const NO_ROOM = `The service holds as many bytes of bodies as it can, in all or of your address. Send smaller requests, or fewer at once. Try again in ${RETRY_SECONDS} seconds.`

/**
 * Collects the body. `done` is called once: with the body; with PAYLOAD_TOO_LARGE or UNAVAILABLE as soon as
 * it is too large or has no room, and then the rest of the body is thrown away; or with REQUEST_TIMEOUT when
 * it is too slow, and then the connection should be closed.
 */
export function readBody(
  request: IncomingMessage,
  { takeBytes, rates }: ReadBodyServices,
  done: (error: ApiError | null, body: Uint8Array) => void,
): void {
  const { headers } = request
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    done(null, NO_BODY)
    return
  }
  let isRefused = Number(length) > MAX_BODY_BYTES
  let size = 0
  let chunks: Buffer[] = []
  const refuse = (error: ApiError) => {
    isRefused = true
    chunks = []
    done(error, NO_BODY)
  }
  const watched = rates.watch(() => {
    if (isRefused) request.destroy()
    else refuse(new ApiError('REQUEST_TIMEOUT', TOO_SLOW, { retryAfter: RETRY_SECONDS }))
  })
  request.once('close', watched.end)
  request.on('data', (chunk: Buffer) => {
    watched.count(chunk.length)
    size += chunk.length
    if (!isRefused && size > MAX_BODY_BYTES) refuse(payloadTooLarge(MAX_BODY_BYTES))
    else if (!isRefused && !takeBytes(chunk.length)) refuse(unavailable(NO_ROOM, RETRY_SECONDS))
    if (!isRefused) chunks.push(chunk)
    else if (size > DISCARDED_BYTES) request.destroy()
  })
  if (isRefused) done(payloadTooLarge(MAX_BODY_BYTES), NO_BODY)
  request.on('end', () => {
    watched.end()
    if (!isRefused) done(null, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
  })
}
