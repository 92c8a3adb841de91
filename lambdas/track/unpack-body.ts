import { gunzipSync } from 'node:zlib'
import { ApiError } from '#core/errors'
import type { Exchange } from '#lambdas/chain/chain'
import { payloadTooLarge } from '#lambdas/http/json-body'
import { MAX_BODY_BYTES } from '#schemas/route'

/**
 * Returns the request with its body unpacked (U112): senders of large batches, such as logging agents,
 * compress them with gzip. The bound of bytes is that of a body that was not compressed, and more is never
 * unpacked. Throws PAYLOAD_TOO_LARGE or INVALID_BODY.
 */
export function unpackBody(exchange: Exchange): Exchange {
  const { route, request } = exchange
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return exchange
  if (!/^(x-)?gzip$/.test(encoding)) {
    throw new ApiError(
      'INVALID_BODY',
      'The body has a compression that is not read. Send it with `Content-Encoding: gzip`, or as it is.',
    )
  }
  const maxBytes = route.maxBodyBytes ?? MAX_BODY_BYTES
  if (request.body.length > maxBytes) throw payloadTooLarge(maxBytes)
  try {
    return {
      ...exchange,
      request: { ...request, body: gunzipSync(request.body, { maxOutputLength: maxBytes }) },
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw payloadTooLarge(maxBytes)
    throw new ApiError(
      'INVALID_BODY',
      'The body is not valid gzip. Send it again, or without `Content-Encoding`.',
      {
        cause,
      },
    )
  }
}
