import { hash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Bytes of JSON in the lake: compressed, with a hash of them for the name of the object. */
export type PackedJson = { bytes: Uint8Array; hash: string }

/** Digits of the hash in a name. 64 bits: two objects of one version and one moment never have the same. */
const HASH_DIGITS = 16

export function packJson(value: unknown): PackedJson {
  const bytes = zstdCompressSync(JSON.stringify(value))
  return { bytes, hash: hashOf(bytes) }
}

/** An object has other bytes than its name says. */
export class DamagedObjectError extends Error {
  override name = 'DamagedObjectError'
}

/** Throws DamagedObjectError if the bytes are not those that the name was made of. */
export function unpackJson(bytes: Uint8Array, expectedHash: string): unknown {
  if (hashOf(bytes) !== expectedHash)
    throw new DamagedObjectError('The object has other bytes than its name says.')
  return JSON.parse(zstdDecompressSync(bytes).toString())
}

function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, HASH_DIGITS)
}
