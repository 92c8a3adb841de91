import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { OutboundFailure } from './outbound-failure.ts'

/** Largest window of zstd that is taken, as a power of two: 8 MiB, as in browsers (RFC 9659). */
const MAX_ZSTD_WINDOW = 23

/**
 * The decoders by Content-Encoding. They also return what a body has that was cut. Each holds its window, at
 * most 16 MiB (brotli).
 */
const DECODERS = {
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () =>
    createZstdDecompress({
      finishFlush: constants.ZSTD_e_flush,
      params: { [constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW },
    }),
}

/** What requests say in Accept-Encoding. */
export const ACCEPTED_ENCODINGS = 'gzip, br, zstd'

export type DecodedBody = { body: Uint8Array /** The body goes on after `maxBytes`. */; isCut: boolean }

/**
 * Undoes the Content-Encoding of a body, up to `maxBytes`: the rest of a larger one is never decompressed.
 * Throws OutboundFailure for an unknown encoding, several encodings, and bytes that are not of the encoding.
 */
export async function decodeBody(
  bytes: Uint8Array,
  contentEncoding: string,
  maxBytes: number,
): Promise<DecodedBody> {
  const encoding = contentEncoding.trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') {
    return { body: bytes.subarray(0, maxBytes), isCut: bytes.length > maxBytes }
  }
  if (!Object.hasOwn(DECODERS, encoding)) {
    throw new OutboundFailure('response', 'The server used a compression that was not asked for.')
  }
  const decoder = DECODERS[encoding as keyof typeof DECODERS]()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    decoder.end(bytes)
    for await (const chunk of decoder) {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) break
    }
  } catch (cause) {
    throw new OutboundFailure('response', 'The server sent a compressed body that cannot be read.', cause)
  } finally {
    decoder.destroy()
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes }
}
